import { describe, expect, it } from 'vitest';
import { insert } from '../../support/fixtures/filled-live-file.ts';
import { openPages } from '../../support/servers/open-pages.ts';
import { named, rowsIn } from '../../support/read-html.ts';

const TARGETS = `publish:
  file: bi.db
  targets:
    - { name: warehouse, postgres: 'postgres://me:secret-of-pg@127.0.0.1:1/db' }
    - { name: archive, postgres: 'postgres://me:secret-of-pg@127.0.0.1:1/db', schema: archive }
`;

const load = (account: string, row: Record<string, string | number | null> = {}) =>
  insert('target_load', {
    ...{ target: 'warehouse', account, outcome: 'loaded', change_seq: 1_000_000 },
    ...{ attempted_at: '2026-03-10 11:58:00', loaded_at: '2026-03-10 11:58:00' },
    ...{
      loads: 1,
      failures: 0,
      rows: 1,
      duration_ms: 1,
      verified_at: '2026-03-10 05:00:00',
      differences: '[]',
    },
    ...row,
  });

describe('the targets', () => {
  it('are listed with what each has, and why a load fails', async () => {
    const failed = {
      ...{ outcome: 'failed', failing_since: '2026-03-10 11:31:00', change_seq: 1 },
      ...{ error: 'connection <b>refused</b>', hint: 'is the server running?' },
    };
    const { page } = await openPages([load('main'), load('other', failed)], { lines: TARGETS });
    const { part, text } = await page();
    expect(rowsIn(part('targets')).slice(1)).toEqual([
      ['warehouse', '3', '1', '2 min ago', '', '7 h ago', ''],
      [
        '',
        'account other: failing since 2026-03-10 20:31:00: connection <b>refused</b> -> is the server running?',
      ],
      ['archive', '3', '0', 'never', '', '', ''],
    ]);
    expect(text).not.toContain('secret-of-pg');
  });

  it('show what differs', async () => {
    const rows = [load('main', { differences: '["title"]' }), load('other')];
    const { page } = await openPages(rows, { lines: TARGETS });
    const { part } = await page();
    expect(rowsIn(part('targets'))[1]).toEqual(['warehouse', '3', '2', '2 min ago', '', '7 h ago', '1']);
  });

  it('have no section without targets in the config', async () => {
    const { page } = await openPages([load('main')]);
    const { root } = await page();
    expect(named(root, 'h2').length).toBeGreaterThan(3);
    expect((await page()).text).not.toContain('targets-heading');
  });
});
