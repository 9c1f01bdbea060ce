import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Db } from '../../src/database/connection.ts';
import { DRIFT } from '../../src/queries/named/status.ts';
import type { FieldDrift } from '../../src/lib/service-fields.ts';
import { recordDrift, touchDrift } from '../../src/warehouse/statements/drift.ts';
import { transact } from '../../src/database/transaction.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const NOON = '2026-03-10 12:00:00';
const LATER = '2026-03-10 13:00:00';
const EARLIER = '2026-03-10 11:00:00';
const MOOD: FieldDrift = { field: 'mood', kind: 'new', sample: '"good"' };
const NO_TITLE: FieldDrift = { field: 'title', kind: 'missing', sample: null };

describe('drift', () => {
  let path: string;
  let db: Db;
  const record = (found: readonly FieldDrift[], at: string, account = 'main') =>
    transact(db, (tx) => recordDrift(tx, { account, stream: 'videos', packageId: 101 }, found, at));
  const touch = (keys: Parameters<typeof touchDrift>[2], at: string) =>
    transact(db, (tx) => touchDrift(tx, { account: 'main', stream: 'videos', packageId: 101 }, keys, at));
  const times = () => DRIFT.all(db, {}).map((row) => [row.field, row.first_seen_at, row.last_seen_at]);

  beforeEach(() => {
    path = join(temporaryFolder(), 'live.db');
    db = openDatabase(path, 0);
    return () => db.$client.close();
  });

  it('is recorded once, with its sample and its first time', () => {
    expect(record([MOOD, NO_TITLE], NOON)).toBe(2);
    const moment = { account: 'main', stream: 'videos', first_seen_at: NOON, last_seen_at: NOON };
    expect(
      readRows(
        path,
        'select account, stream, field, kind, sample, first_seen_at, last_seen_at from drift order by field',
      ),
    ).toEqual([
      { ...moment, ...MOOD },
      { ...moment, ...NO_TITLE },
    ]);
  });

  it('retains its sample and first time when it is seen again, and moves its last time forward only', () => {
    record([MOOD], NOON);
    expect(record([{ ...MOOD, sample: '"bad"' }, NO_TITLE], LATER)).toBe(1);
    expect(record([MOOD], EARLIER)).toBe(0);
    const [row] = DRIFT.all(db, {}).filter(({ field }) => field === 'mood');
    expect(row).toMatchObject({ sample: '"good"', first_seen_at: NOON, last_seen_at: LATER });
  });

  it('is updated without its sample, by field and kind: only where it exists', () => {
    record([MOOD, NO_TITLE], NOON);
    touch(
      [
        ['mood', 'new'],
        ['mood', 'type'],
        ['weather', 'new'],
      ],
      LATER,
    );
    expect(times()).toEqual([
      ['mood', NOON, LATER],
      ['title', NOON, NOON],
    ]);
    touch(
      [
        ['mood', 'new'],
        ['title', 'missing'],
      ],
      EARLIER,
    );
    expect(times()).toEqual([
      ['mood', NOON, LATER],
      ['title', NOON, NOON],
    ]);
  });
});
