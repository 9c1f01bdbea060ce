/** Pages of the lists by id, at any depth; kept in step with what the worker writes to the file meanwhile. */
import type { Db } from '../file.ts';
import { video, videoVersion } from '../schema/videos.ts';
import {
  prepareChangedSince,
  prepareCountKnown,
  prepareCountRemoved,
  prepareIdAfter,
  prepareLastRow,
  prepareLivePage,
  prepareWholePage,
  type ChangedRow,
  type ListedVideo,
} from '../statements/listed.ts';
import type { PackageKey } from '../statements/video.ts';
import { BLOCK, createRanks, type Ids, type Ranks } from './ranks.ts';

/** Above this many changes at once it is cheaper to count anew what is asked for. */
const MANY_CHANGES = 20_000;

export interface RankedLists {
  /**
   * The live rows of the ranks `rank` (from 0 up) to `rank + take - 1`. To be called in the look in which `size`, how many
   * rows are live, was read: where that is not what was counted, someone else has been at the file, and it is counted anew.
   */
  read(key: PackageKey, size: number, rank: number, take: number): ListedVideo[];
  /** Takes note of what was written since; to be called now and then in a look, so that a page need not wait for much. */
  follow(): void;
}

/** Ranks over the packages of a file: each is counted through at its first page, and then kept in step. */
export function createRankedLists(db: Db, blockSize = BLOCK): RankedLists {
  const known = new Map<string, Ranks>();
  const idsOf = prepareIds(db);
  const livePage = prepareLivePage(db);
  const wholePage = prepareWholePage(db);
  const ranksOf = (row: ChangedRow) => known.get(nameOf(row.account, row.package_id));
  const follow = createFollower(db, {
    came: (row) => ranksOf(row)?.came(row.id),
    changed: (row) => ranksOf(row)?.changed(row.id),
    tooMany: () => known.clear(),
  });
  return {
    read(key, size, rank, take) {
      follow();
      const name = nameOf(key.account, key.packageId);
      const kept = known.get(name);
      const ranks = kept?.size() === size ? kept : createRanks(idsOf(key), blockSize);
      known.set(name, ranks);
      return ranks
        .stretches(rank, take)
        .flatMap(({ low, high, skip, take, isWhole }) =>
          (isWhole ? wholePage : livePage)(key, low, high, skip, take),
        );
    },
    follow,
  };
}

function nameOf(account: string, packageId: number): string {
  return `${packageId} ${account}`;
}

function prepareIds(db: Db): (key: PackageKey) => Ids {
  const after = prepareIdAfter(db);
  const known = prepareCountKnown(db);
  const removed = prepareCountRemoved(db);
  return (key) => ({
    after: (low, high, distance) => after(key, low, high, distance),
    known: (low, high) => known(key, low, high),
    removed: (low, high) => removed(key, low, high),
  });
}

interface Told {
  came: (row: ChangedRow) => void;
  changed: (row: ChangedRow) => void;
  tooMany: () => void;
}

/** Tells of each row that came or changed since the last call, or that they are too many to tell. */
function createFollower(db: Db, { came, changed, tooMany }: Told): () => void {
  const feeds = [
    { table: video, tell: came },
    { table: videoVersion, tell: changed },
  ].map(({ table, tell }) => {
    const lastRow = prepareLastRow(db, table);
    return { tell, lastRow, since: prepareChangedSince(db, table), seen: lastRow() };
  });
  return () => {
    const lasts = feeds.map(({ lastRow }) => lastRow());
    const isMany = feeds.some(({ seen }, at) => (lasts[at] ?? 0) - seen > MANY_CHANGES);
    if (isMany) tooMany();
    for (const [at, feed] of feeds.entries()) {
      if (!isMany && feed.seen !== lasts[at]) feed.since(feed.seen).forEach(feed.tell);
      feed.seen = lasts[at] ?? 0;
    }
  };
}
