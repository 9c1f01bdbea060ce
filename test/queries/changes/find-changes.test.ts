import { describe, expect, it, onTestFinished } from 'vitest';
import { openReadOnly } from '../../../src/database/connection.ts';
import { readSnapshot } from '../../../src/database/transaction.ts';
import { ANY_CHANGE, findChanges, type ChangesRequest } from '../../../src/queries/changes/find-changes.ts';
import { CHANGES, type Change } from '../../../src/database/schema/values.ts';
import type { ChangeRow } from '../../../src/queries/named/changes.ts';
import { insert, liveFileWith, packageRow } from '../../support/fixtures/filled-live-file.ts';

const at = (minute: number, second = 0) =>
  `2026-03-10 10:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}`;

const ALL: ChangesRequest = ANY_CHANGE;

function open(...statements: string[]) {
  const db = openReadOnly(liveFileWith(packageRow(101), packageRow(102), ...statements));
  onTestFinished(() => void db.$client.close());
  const find = (request: Partial<ChangesRequest>) =>
    readSnapshot(db, () => findChanges(db, { ...ALL, ...request }));
  /** All pages, one after the other. */
  const findAll = (request: Partial<ChangesRequest>) => {
    const changes: ChangeRow[] = [];
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

/** Videos 1 to `count`; those with even numbers are in package 102, and those up to 300 of the first import. */
const videos = (count: number) => `
insert into video (account, package_id, id, title, change, first_seen_at, changed_at, change_seq)
with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
select 'main', 101 + (i % 2 = 0), i, 'Video ' || i, iif(i <= 300, 'imported', 'added'), '${at(0)}', '${at(0)}', i from n;`;

let seq = 10_000;
const change = (what: string, when: string, where = 'true') =>
  `update video set ${what}, changed_at = '${when}', change_seq = ${(seq += 10_000)} + id where ${where};`;

const run = (run_id: number, from: string) =>
  insert('run', { run_id, trigger: 'manual', mode: 'full', status: 'running', started_at: from });

const HISTORY = [
  videos(400),
  change(`title = title || '.'`, at(1)),
  change(`removed_at = '${at(2)}'`, at(2), 'id <= 3'),
  change(`removed_at = null, tag = 't'`, at(3), 'id = 2'),
  change(`title = title || '.'`, at(4)),
];

/** Package 102 leaves the config, and all but two of its videos come back with it. */
const LEAVING = [
  change(`removed_at = '${at(5)}', change = 'retired'`, at(5), 'package_id = 102'),
  change(`removed_at = null`, at(6), 'package_id = 102 and id > 4'),
];

describe('the list of all changes', () => {
  it('has each step of each video once, whatever the size of a page', () => {
    const { findAll } = open(...HISTORY, ...LEAVING);
    for (const limit of [7, 64, 1_000]) {
      const { changes } = findAll({ limit });
      const counts = CHANGES.map((kind) => changes.filter((each) => each.change === kind).length);
      // an edit of a removed video leaves it removed
      expect([limit, ...counts]).toEqual([limit, 300, 100, 400 + 398, 3 + 2, 1, 200, 198]);
      const times = changes.map((each) => each.at);
      expect(times).toEqual(times.toSorted().reverse());
      const keys = changes.map(({ change: kind, id, at: when }) => `${kind} ${id} ${when}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('has a change of the second in which its video was added above that', () => {
    const { find } = open(videos(1), change(`tag = 't'`, at(0)));
    expect(find({}).changes.map((each) => each.change)).toEqual(['edited', 'imported']);
  });

  it('of a package and of a kind are the same as among all', () => {
    const { findAll } = open(...HISTORY, ...LEAVING);
    const all = findAll({}).changes;
    const ofPackage = { account: 'main', package_id: 102 };
    for (const kind of CHANGES) {
      expect(findAll({ kind }).changes).toEqual(all.filter((each) => each.change === kind));
      expect(findAll({ kind, ofPackage }).changes).toEqual(
        all.filter((each) => each.change === kind && each.package_id === 102),
      );
    }
  });

  it('is filtered by text, day and presence, each as a plain comparison would', () => {
    const { findAll } = open(
      ...HISTORY,
      change(`title = 'Étude ' || title`, '2026-03-11 00:00:00', 'id = 7'),
    );
    const ids = (request: Partial<ChangesRequest>) => findAll(request).changes.map(({ id }) => id);
    for (const ofPackage of [null, { account: 'main', package_id: 101 }]) {
      const one = (request: Partial<ChangesRequest>) => ids({ ...request, ofPackage });
      expect(one({ kind: 'present', text: 'ÉTUDE' })).toEqual([7]);
      expect(one({ kind: 'present', text: 'E\u0301tude' })).toEqual([7]);
      expect(one({ text: 'étude' })).toEqual([7, 7]); // its last edit, and the video itself
      expect(one({ field: 'tag', text: 'video' })).toEqual([]);
      expect(one({ kind: 'present', text: 'video 3' })).toHaveLength(ofPackage ? 55 : 110);
      expect(one({ since: '2026-03-11 00:00:00', until: '2026-03-12 00:00:00' })).toEqual([7]);
      expect(one({ since: at(4, 1), until: '2026-03-11 00:00:00' })).toEqual([]);
      expect(one({ kind: 'present' })).toHaveLength(ofPackage ? 198 : 398);
    }
    expect(ids({ since: at(3), until: at(4) })).toEqual([2]);
    expect(ids({ since: at(0), until: at(1), kind: 'added' })).toHaveLength(100);
    expect(ids({ since: at(0), until: at(1), kind: 'imported' })).toHaveLength(300);
  });

  it('name the run that made them', () => {
    const { findAll } = open(
      run(3, at(0)),
      ...HISTORY.slice(0, 2),
      run(5, at(2)),
      ...HISTORY.slice(2, 4),
      `update run set status = 'succeeded', finished_at = '${at(3)}';`,
      ...HISTORY.slice(4),
      run(7, at(5)),
      ...LEAVING,
    );
    const runs = (kind: Change) => [...new Set(findAll({ kind }).changes.map((each) => each.run_id))];
    expect(CHANGES.map(runs)).toEqual([[null], [null], [null, 3], [null, 5], [5], [null], [7]]);
    expect(findAll({ run_id: 5 }).changes.map(({ change: kind, id }) => [kind, id])).toEqual([
      ['restored', 2],
      ['removed', 3],
      ['removed', 2],
      ['removed', 1],
    ]);
    expect(findAll({ run_id: 3 }).changes).toHaveLength(400);
    expect(findAll({ run_id: 4 }).changes).toEqual([]);
  });

  it('has an edited title with the one before, and the video as it is now', () => {
    const { find } = open(...HISTORY.slice(0, 2), change(`removed_at = '${at(2)}'`, at(3), 'id = 400'));
    const [removed, , edited] = find({ ofPackage: { account: 'main', package_id: 102 } }).changes;
    expect(removed).toMatchObject({ change: 'removed', at: at(3), changed_fields: null, gone: 'removed' });
    expect(edited).toMatchObject({ change: 'edited', changed_fields: 'title ', gone: null });
    expect([edited?.title_before, edited?.title]).toEqual(['Video 398', 'Video 398.']);
  });

  it('says which videos are gone now, removed or with their package', () => {
    const { find } = open(...HISTORY, ...LEAVING);
    const gone = (id: number) =>
      find({ text: `Video ${id}`, kind: 'imported', limit: 500 }).changes.find((row) => row.id === id)?.gone;
    expect([1, 2, 4, 5, 6].map(gone)).toEqual(['removed', 'retired', 'retired', null, null]);
  });
});
