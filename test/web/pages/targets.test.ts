import { describe, expect, it } from 'vitest';
import { insert } from '../../support/fixtures/filled-live-file.ts';
import { openPages } from '../../support/servers/open-pages.ts';

const TARGETS = `publish:
  file: bi.db
  targets:
    - { name: warehouse, postgres: 'postgres://me:secret-of-pg@127.0.0.1:1/db' }
    - { name: archive, postgres: 'postgres://me:secret-of-pg@127.0.0.1:1/db', schema: archive }
`;

const load = (account: string, row: Record<string, string | number | null> = {}) =>
  insert('target_load', {
    target: 'warehouse',
    account,
    outcome: 'loaded',
    change_seq: 1_000_000,
    attempted_at: '2026-03-10 11:58:00',
    loaded_at: '2026-03-10 11:58:00',
    loads: 1,
    failures: 0,
    rows: 1,
    duration_ms: 1,
    verified_at: '2026-03-10 05:00:00',
    differences: '[]',
    ...row,
  });

describe('the freshness', () => {
  it('has the age of the oldest account of each target', async () => {
    const { page, change } = await openPages(
      [load('main'), load('other'), load('alone', { loaded_at: '2026-03-10 11:30:00' })],
      { lines: TARGETS },
    );
    const { partText, text } = await page();
    expect(partText('tile-freshness')).toMatch(/ · warehouse 30 min ago · archive never$/);
    expect(text).not.toContain('secret-of-pg');
    change(`delete from target_load where account = 'alone';`);
    expect((await page()).partText('tile-freshness')).toContain(' · warehouse never');
  });
});
