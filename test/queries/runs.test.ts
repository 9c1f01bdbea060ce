import { Database } from '../../src/database/sqlite.ts';
import { onTestFinished, describe, expect, it } from 'vitest';
import * as runs from '../../src/queries/named/runs.ts';
import * as oneRun from '../../src/queries/named/run.ts';
import { declaredQueries, listParameters } from '../../src/database/query.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import {
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';

const AT = '2026-03-10 12:00:00';
const LATER = '2026-03-10 12:05:00';

const run = (run_id: number, status: string, row: Record<string, string | number | null> = {}) =>
  insert('run', {
    run_id,
    trigger: 'schedule',
    mode: 'full',
    status,
    started_at: AT,
    finished_at: LATER,
    ...row,
  });
const walk = (walk_id: number, run_id: number, row: Record<string, string | number | null> = {}) =>
  insert('walk', {
    walk_id,
    run_id,
    account: 'main',
    package_id: 101,
    mode: 'full',
    status: 'succeeded',
    started_at: AT,
    finished_at: LATER,
    origin_started_at: AT,
    ...row,
  });
const request = (run_id: number, purpose: string, status: number | null) =>
  insert('request', {
    account: 'main',
    at_ms: 1,
    run_id,
    purpose,
    status,
    spent_until_ms: 2,
    ...(status === null ? {} : { duration_ms: 10, bytes: 100 }),
  });
const held = (id: number, held_by: number) =>
  insert('removal_candidate', {
    account: 'main',
    package_id: 101,
    id,
    proved_at: AT,
    walk_id: held_by,
    held_back: 1,
    held_at: AT,
    held_by,
    held_reason: 'many',
  });
const quarantined = (record_id: string, seen_at: string) =>
  insert('quarantine', {
    account: 'main',
    stream: 'videos',
    package_id: 101,
    record_id,
    reason: 'title is a number',
    raw: '{}',
    seen_at,
  });

function openFile(...statements: string[]) {
  const path = liveFileWith(packageRow(101), videoRow(1), videoRow(2), ...statements);
  const db = openReadOnly(path);
  onTestFinished(() => void db.$client.close());
  return db;
}

describe('one run', () => {
  it('has what belongs to it, and nothing of the runs next to it', () => {
    const before = { started_at: '2026-03-10 11:00:00', finished_at: '2026-03-10 11:05:00' };
    const db = openFile(
      run(1, 'succeeded', before),
      run(2, 'partial'),
      walk(1, 1, { held_back: 1 }),
      walk(2, 2, { held_back: 2, resumed: 1 }),
      ...['page', 'page', 'storage'].map((purpose) => request(2, purpose, 200)),
      request(2, 'page', 503),
      request(2, 'page', null),
      request(1, 'quick', 200),
      insert('run_failure', {
        run_id: 2,
        account: 'main',
        package_id: 102,
        stream: 'videos',
        kind: 'status',
        message: 'status 503',
      }),
      held(1, 1),
      held(2, 2),
      quarantined('7', AT),
      quarantined('8', '2026-03-10 11:00:00'),
      storageRow('2026-03-08', 1, { observed_at: '2026-03-10 11:00:00' }),
      storageRow('2026-03-09', 1, { observed_at: AT }),
      storageRow('2026-03-10', 1, { observed_at: AT, state: 'live' }),
    );
    const found = oneRun.readRun(db, 2);
    expect(found).toMatchObject({
      run: { run_id: 2, status: 'partial', walks: 1 },
      walks: [{ walk_id: 2, name: 'Package 101', resumed: true, held_back: 2 }],
      failures: [
        { account: 'main', package_id: 102, stream: 'videos', kind: 'status', message: 'status 503' },
      ],
      requests: [
        { purpose: 'page', requests: 4, answered: 2, error_status: 1, unanswered: 1, duration_ms: 30 },
        { purpose: 'storage', requests: 1, answered: 1, bytes: 100 },
      ],
      held_back: [{ account: 'main', package_id: 101, held_by: 2, removals: 2, reasons: ['many'] }],
      quarantine: [{ record_id: '7', reason: 'title is a number', resolved_at: null }],
      booked: [{ account: 'main', date: '2026-03-09' }],
    });
    expect(oneRun.readRun(db, 3)).toBeNull();
  });

  it('that is under way has what happened since its start', () => {
    const db = openFile(
      run(1, 'running', { finished_at: null }),
      quarantined('7', LATER),
      storageRow('2026-03-09', 1, { observed_at: LATER }),
    );
    expect(oneRun.readRun(db, 1)).toMatchObject({
      quarantine: [{ record_id: '7' }],
      booked: [{ date: '2026-03-09' }],
    });
  });

  it('whose process was killed is interrupted, with its walks, in the list too', () => {
    const db = openFile(run(1, 'running', { finished_at: null }), walk(1, 1, { status: 'running' }));
    const interrupted = { status: 'interrupted' };
    expect(oneRun.readRun(db, 1)).toMatchObject({ run: interrupted, walks: [interrupted] });
    expect(runs.readRuns(db, 1)).toMatchObject([interrupted]);
  });
});

it('a run is found among thousands without reading all walks or requests', () => {
  const db = new Database(liveFileWith(), { readonly: true });
  onTestFinished(() => void db.close());
  const plans = declaredQueries
    .filter(
      (sql) =>
        /^select/.test(sql) && /\b(walk|request)\b/.test(sql) && /\b(from run|run_id = :run_id)\b/.test(sql),
    )
    .flatMap(
      (sql) =>
        db
          .prepare(`explain query plan ${sql}`)
          .all(Object.fromEntries([...listParameters(sql)].map((name) => [name, 1]))) as { detail: string }[],
    );
  const scans = plans.filter(({ detail }) =>
    /^SCAN (TABLE )?(walk|w|request)\b(?! USING INDEX)/.test(detail),
  );
  expect(plans.length).toBeGreaterThan(20);
  expect(scans).toEqual([]);
});
