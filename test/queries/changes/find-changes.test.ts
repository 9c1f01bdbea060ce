import { describe, expect, it, onTestFinished } from 'vitest';
import { openReadOnly } from '../../../src/database/connection.ts';
import { readSnapshot } from '../../../src/database/transaction.ts';
import {
  CHANGE_KINDS,
  findChanges,
  type Change,
  type ChangesRequest,
} from '../../../src/queries/changes/find-changes.ts';
import { createRunFinder } from '../../../src/queries/changes/runs-of-changes.ts';
import { insert, liveFileWith, packageRow } from '../../support/fixtures/filled-live-file.ts';

const at = (minute: number, second = 0) =>
  `2026-03-10 10:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}`;

const ALL: ChangesRequest = {
  kind: null,
  ofPackage: null,
  runId: null,
  from: null,
  limit: 50,
  maxMs: 60_000,
};

function open(...statements: string[]) {
  const db = openReadOnly(liveFileWith(packageRow(101), packageRow(102), ...statements));
  onTestFinished(() => void db.$client.close());
  const find = (request: Partial<ChangesRequest>) =>
    readSnapshot(db, () => findChanges(db, { ...ALL, ...request }));
  /** All pages, one after the other. */
  const findAll = (request: Partial<ChangesRequest>) => {
    const changes: Change[] = [];
    let pages = 0;
    for (let from = ALL.from; pages === 0 || from; pages++) {
      const found = find({ ...request, from });
      changes.push(...found.changes);
      from = found.next;
    }
    return { changes, pages };
  };
  return { find, findAll };
}

/** Videos 1 to `count`; those with even numbers are in package 102. */
const videos = (count: number) => `
insert into video (account, package_id, id, title, first_seen_at, changed_at, change_seq)
with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
select 'main', 101 + (i % 2 = 0), i, 'Video ' || i, '${at(0)}', '${at(0)}', i from n;`;

let seq = 10_000;
const change = (what: string, when: string, where = 'true') =>
  `update video set ${what}, changed_at = '${when}', change_seq = ${(seq += 10_000)} + id where ${where};`;

const run = (run_id: number, from: string, to: string | null, changes: object = {}) => [
  insert('run', {
    run_id,
    trigger: 'manual',
    mode: 'full',
    status: 'succeeded',
    started_at: from,
    finished_at: to,
  }),
  insert('walk', {
    ...{ run_id, account: 'main', package_id: 101, mode: 'full', status: 'succeeded' },
    ...{ started_at: from, origin_started_at: from, ...changes },
  }),
];

const HISTORY = [
  videos(400),
  change(`title = title || '.'`, at(1)),
  change(`removed_at = '${at(2)}'`, at(2), 'id <= 3'),
  change(`removed_at = null, tag = 't'`, at(3), 'id = 2'),
  change(`title = title || '.'`, at(4)),
];

describe('the list of all changes', () => {
  it('has each step of each video once, whatever the size of a page', () => {
    const { findAll } = open(...HISTORY);
    for (const limit of [7, 64, 1_000]) {
      const { changes } = findAll({ limit });
      const counts = CHANGE_KINDS.map((kind) => changes.filter((each) => each.kind === kind).length);
      // an edit of a removed video leaves it removed
      expect([limit, ...counts]).toEqual([limit, 400, 400 + 398, 3 + 2, 1]);
      const times = changes.map((each) => each.at);
      expect(times).toEqual(times.toSorted().reverse());
      const keys = changes.map(({ kind, id, at: when }) => `${kind} ${id} ${when}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('has a change of the second in which its video was added above that', () => {
    const { find } = open(videos(1), change(`tag = 't'`, at(0)));
    expect(find({}).changes.map(({ kind }) => kind)).toEqual(['edited', 'added']);
  });

  it('stops where the time is over, and goes on from there', () => {
    const { findAll, find } = open(...HISTORY);
    expect(find({ kind: 'restored', maxMs: 0 })).toMatchObject({ changes: [], stopped: 'time' });
    const { changes, pages } = findAll({ kind: 'restored', maxMs: 0 });
    expect(changes.map(({ id, replaced }) => [id, replaced?.fields])).toEqual([[2, 'tag ']]);
    expect(pages).toBeGreaterThan(2);
  });

  it('of a package and of a kind are the same as among all', () => {
    const { findAll } = open(...HISTORY);
    const all = findAll({}).changes;
    const ofPackage = { account: 'main', package_id: 102 };
    for (const kind of CHANGE_KINDS) {
      expect(findAll({ kind }).changes).toEqual(all.filter((each) => each.kind === kind));
      expect(findAll({ kind, ofPackage }).changes).toEqual(
        all.filter((each) => each.kind === kind && each.package_id === 102),
      );
    }
  });

  it('name the run that had begun last, if it had not ended and its walk made a change', () => {
    const { findAll } = open(
      ...HISTORY,
      ...run(3, at(1), at(1, 30), { updated: 200 }),
      ...run(4, at(2), at(2), { removed: 2 }),
      ...run(6, at(2), at(3), { removed: 2 }), // began in the same second
      insert('walk', {
        ...{ run_id: 6, account: 'main', package_id: 102, mode: 'full', status: 'succeeded', restored: 1 },
        ...{ started_at: at(2), origin_started_at: at(2) },
      }),
      ...run(7, at(3, 30), at(3, 50), { updated: 1 }), // ended before
      ...run(9, at(5), null),
    );
    const runs = (kind: Change['kind'], packageId: number) => [
      ...new Set(
        findAll({ kind, ofPackage: { account: 'main', package_id: packageId } }).changes.map(
          (each) => each.run_id,
        ),
      ),
    ];
    expect(runs('edited', 101)).toEqual([null, 3]);
    expect(runs('edited', 102)).toEqual([null]);
    expect(runs('added', 101)).toEqual([null]);
    expect(findAll({ runId: 6 }).changes.map(({ kind, id }) => [kind, id])).toEqual([
      ['restored', 2], // in its last second
      ['removed', 3],
      ['removed', 2],
      ['removed', 1],
    ]);
    expect(findAll({ runId: 3 }).changes).toHaveLength(200);
    for (const runId of [4, 5, 7, 9]) expect([runId, findAll({ runId }).changes]).toEqual([runId, []]);
  });
});

describe('the run of a change', () => {
  it('is the later one where an earlier one was killed, in any order of the questions', () => {
    const path = liveFileWith(
      packageRow(101),
      ...run(1, at(1), null, { updated: 1 }),
      ...run(2, at(3), at(4), { updated: 1 }),
    );
    const db = openReadOnly(path);
    onTestFinished(() => void db.$client.close());
    const finder = createRunFinder(db);
    const find = (minute: number) =>
      finder.find({ account: 'main', package_id: 101 }, at(minute))?.run_id ?? null;
    expect([0, 2, 3, 4, 2, 5, 1].map(find)).toEqual([null, 1, 2, 2, 1, null, 1]);
  });
});
