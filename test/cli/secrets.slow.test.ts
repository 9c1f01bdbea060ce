import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import {
  CANARY_KEY,
  findCanary,
  replyWithKey,
  SLOW_PACKAGES,
  writtenFiles,
} from '../support/fixtures/awkward-key.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('the key', () => {
  it('is in no output, log or file where requests are retried', async () => {
    const { url, requests } = await startScriptedService(replyWithKey);
    const config = configText({ url, key: CANARY_KEY, packages: SLOW_PACKAGES, storage: false });
    const cwd = createFolder({ [CONFIG]: config });
    const { code, stdout, stderr } = await vodhouse(['sync', '--log-level', 'debug'], { cwd });
    expect(code).toBe(1);
    expect(requests).toHaveLength(SLOW_PACKAGES.length * 5);
    expect(findCanary([['printed', stdout + stderr]])).toEqual([]);
    expect(findCanary(writtenFiles(cwd))).toEqual([]);
  });
});
