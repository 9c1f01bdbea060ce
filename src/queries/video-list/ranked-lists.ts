/** Pages of the lists by id, at any depth; kept in step with what the worker writes to the file meanwhile. */
import type { Db } from '../../database/connection.ts';
import { video, videoVersion } from '../../database/schema/videos.ts';
import {
  prepareChangedSince,
  prepareCountKnown,
  prepareCountRemoved,
  prepareIdAfter,
  prepareLastRow,
  prepareLiveIdsAt,
  type ChangedRow,
} from './statements.ts';
import { BLOCK, type Ids } from './blocks.ts';
import type { Found } from './list-page.ts';
import { createRanks, type Ranks } from './ranks.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** Above this many changes at once it is cheaper to count anew what is asked for. */
const MANY_CHANGES = 20_000;

export interface RankedLists {
  /**
   * The ids of the live rows at the ranks that `ranksOf` wishes for, once it hears how many rows there are; and that number.
   * To be called in the look in which `liveCount` of the package was read.
   */
  read(key: PackageKey, liveCount: number, ranksOf: RanksWished): Found;
  /** Takes note of what was written since; to be called now and then in a look, so that a page need not wait for much. */
  follow(): void;
}

/** Of the live rows, `take` from `rank` (0 and up) on. */
type RanksWished = (size: number) => { rank: number; take: number };

/** Ranks, and by how much they differ from the package's `live_count`: not at all, unless somebody else was at the file. */
interface Counted {
  ranks: Ranks;
  off: number;
}

/** Ranks over the packages of a file: each is counted through at its first page, and then kept in step. */
export function createRankedLists(db: Db, blockSize = BLOCK): RankedLists {
  const known = new Map<string, Counted>();
  const idsOf = prepareIds(db);
  const liveIds = prepareLiveIdsAt(db);
  const ranksOf = (row: ChangedRow) => known.get(nameOf(row.account, row.package_id))?.ranks;
  const follow = createFollower(db, {
    came: (row) => ranksOf(row)?.came(row.id),
    changed: (row) => ranksOf(row)?.changed(row.id),
    tooMany: () => known.clear(),
  });

  /** Counts anew where rows came or went that nobody told of. */
  function inStep(key: PackageKey, liveCount: number): Ranks {
    const name = nameOf(key.account, key.packageId);
    const kept = known.get(name);
    if (kept?.ranks.size() === liveCount + (kept?.off ?? 0)) return kept.ranks;
    const ranks = createRanks(idsOf(key), blockSize);
    known.set(name, { ranks, off: ranks.size() - liveCount });
    return ranks;
  }

  return {
    read(key, liveCount, ranksWished) {
      follow();
      const ranks = inStep(key, liveCount);
      const size = ranks.size();
      const { rank, take } = ranksWished(size);
      const stretches = ranks.stretches(rank, take);
      return {
        size,
        ids: stretches.flatMap(({ low, high, skip, take }) => liveIds(key, low, high, skip, take)),
      };
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
