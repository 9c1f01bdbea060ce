import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../src/cli/output/move-text.ts';
import { createTestConfig } from '../../support/fixtures/test-config.ts';

const config = {
  ...createTestConfig({ url: 'http://127.0.0.1:1' }, '/srv/one/live.db'),
  file: '/srv/one/vodhouse.yaml',
};
const moved = {
  ...{ config, account: 'main', path: '/srv/two/live.db' },
  otherConfig: '/srv/two/vodhouse.yaml',
};

describe('the steps after a move', () => {
  it('leave the first worker its other accounts', () => {
    const text = nextSteps({ ...moved, isLast: false });
    expect(text).toContain('1. take `- name: main` with its keys out of /srv/one/vodhouse.yaml');
    expect(text).toContain('3. start both workers; at the second one: vodhouse publish --config');
  });

  it('end the first worker where it was its last account', () => {
    const text = nextSteps({ ...moved, isLast: true });
    expect(text).toContain(
      '1. put `- name: main` with its keys from /srv/one/vodhouse.yaml into /srv/two/vodhouse.yaml',
    );
    expect(text).toContain(
      '3. this worker has no account left: do not start it again, delete /srv/one/vodhouse.yaml,',
    );
    expect(text).toContain('keep or delete /srv/one/live.db');
    expect(text).not.toMatch(/both workers|take /);
  });

  it('name the second worker by its live file where its config is not known', () => {
    const text = nextSteps({ ...moved, otherConfig: null, isLast: true });
    expect(text).toContain('into the config of its worker (`warehouse: /srv/two/live.db`), as it was');
  });
});
