import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Db } from '../../src/database/connection.ts';
import { DRIFT } from '../../src/queries/named/status.ts';
import type { FieldDrift } from '../../src/service/service-fields.ts';
import {
  acknowledgeDrift,
  countWalksWithoutDrift,
  listOpenDrift,
  recordDrift,
  touchDrift,
} from '../../src/warehouse/statements/drift.ts';
import { transact } from '../../src/database/transaction.ts';
import { insert } from '../support/fixtures/filled-live-file.ts';
import { execute, readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const NOON = '2026-03-10 12:00:00';
const LATER = '2026-03-10 13:00:00';
const EARLIER = '2026-03-10 11:00:00';
const MOOD: FieldDrift = { field: 'mood', kind: 'new', sample: '"good"' };
const NO_TITLE: FieldDrift = { field: 'title', kind: 'missing', sample: null };

let path: string;
let db: Db;
beforeEach(() => {
  path = join(temporaryFolder(), 'live.db');
  db = openDatabase(path, 0);
  return () => db.$client.close();
});

describe('drift', () => {
  const record = (found: readonly FieldDrift[], at: string, account = 'main') =>
    transact(db, (tx) => recordDrift(tx, { account, stream: 'videos', packageId: 101 }, found, at));
  const touch = (keys: Parameters<typeof touchDrift>[2], at: string) =>
    transact(db, (tx) => touchDrift(tx, { account: 'main', stream: 'videos', packageId: 101 }, keys, at));
  const times = () => DRIFT.all(db).map((row) => [row.field, row.first_seen_at, row.last_seen_at]);

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
    const [row] = DRIFT.all(db).filter(({ field }) => field === 'mood');
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

const KEY = { account: 'main', field: 'mood', kind: 'new' } as const;
const SEEN = '2026-03-10 10:00:00';

describe('drift that the service no longer shows', () => {
  let runs = 0;
  const see = (at: string, stream: 'videos' | 'storage' = 'videos', packageId: number | null = 101) =>
    transact(db, (tx) =>
      recordDrift(tx, { account: 'main', stream, packageId }, [{ ...KEY, sample: '1' }], at),
    );
  const isOpen = () => listOpenDrift(db).length > 0;
  /** One run with a walk of each package, an hour later than the run before. */
  const run = (packages: readonly number[], walk: Record<string, string | number> = {}) => {
    const run_id = ++runs;
    const at = `2026-03-10 ${10 + run_id}:00:00`;
    execute(
      path,
      insert('run', { run_id, trigger: 'manual', mode: 'full', status: 'succeeded', started_at: at }) +
        packages
          .map((package_id) =>
            insert('walk', {
              run_id,
              account: 'main',
              package_id,
              mode: 'full',
              status: 'succeeded',
              started_at: at,
              origin_started_at: at,
              ...walk,
            }),
          )
          .join(''),
    );
    transact(db, (tx) => countWalksWithoutDrift(tx, { runId: run_id, at }));
  };

  beforeEach(() => {
    runs = 0;
    execute(
      path,
      [101, 102].map((package_id) => insert('package', { account: 'main', package_id })).join(''),
    );
  });

  it('is resolved by three whole walks of the package that showed it last', () => {
    see(SEEN);
    run([101, 102]);
    run([101]);
    expect(isOpen()).toBe(true);
    run([101]);
    expect(isOpen()).toBe(false);
  });

  it('is not resolved by other packages, quick walks, failed walks, or pages read before it was seen', () => {
    see(SEEN);
    for (let walk = 0; walk < 3; walk++) {
      run([102]);
      run([101], { mode: 'quick' });
      run([101], { status: 'failed' });
    }
    run([101], { status: 'partial', unread_reason: 'page 2 could not be read' });
    expect(readRows(path, 'select absent_walks from drift')).toEqual([{ absent_walks: 0 }]);
    run([101], { origin_started_at: SEEN });
    expect(readRows(path, 'select absent_walks from drift')).toEqual([{ absent_walks: 0 }]);
  });

  it('is counted by any package of the account where its own is retired', () => {
    see(SEEN);
    execute(path, `update package set retired_at = '${SEEN}' where package_id = 101`);
    for (let walk = 0; walk < 3; walk++) run([102]);
    expect(isOpen()).toBe(false);
  });

  it('is new when it returns: its first time is that of the return, and nobody has acknowledged it', () => {
    see(SEEN);
    acknowledgeDrift(db, { ...KEY, stream: 'videos', at: SEEN });
    for (let walk = 0; walk < 3; walk++) run([101]);
    see('2026-03-11 09:00:00');
    expect(
      readRows(
        path,
        'select first_seen_at, last_seen_at, acknowledged_at, resolved_at, absent_walks from drift',
      ),
    ).toEqual([
      {
        first_seen_at: '2026-03-11 09:00:00',
        last_seen_at: '2026-03-11 09:00:00',
        acknowledged_at: null,
        resolved_at: null,
        absent_walks: 0,
      },
    ]);
  });
});
