/** What reads many videos of a live file, in a thread: totals and growth of packages, and lists of videos and changes. */
import { withinTime } from '../../lib/within-time.ts';
import type { ChangesRequest, FoundChanges } from '../changes/find-changes.ts';
import type { Growth, PackageTotals } from '../named/packages.ts';
import { createThreadQueue } from '../thread-queue.ts';
import type { WideRequest, WideResult } from './wide-thread.ts';

/** A package in the state that its totals are wanted of. */
export interface CountedPackage {
  account: string;
  package_id: number;
  changed_seq: number;
  /** From when on its changes are counted. */
  since: string;
}

type KeptTotals = PackageTotals & Pick<CountedPackage, 'changed_seq' | 'since'>;

/** Packages in one request to the thread. */
const BATCH = 500;

export type WideReads = ReturnType<typeof openWideReads>;

export const keyOfPackage = ({ account, package_id: id }: Pick<CountedPackage, 'account' | 'package_id'>) =>
  `${account}/${id}`;

/** Opens the live file at `path` with the first read. */
export function openWideReads(path: string) {
  const queue = createThreadQueue<WideRequest, WideResult>({
    path,
    thread: 'queries/wide-reads/wide-thread.js',
  });
  const kept = new Map<string, KeptTotals>();
  const closed = new AbortController();
  let reading: Promise<void> | null = null;

  const isKept = (row: CountedPackage) => {
    const { changed_seq, since } = kept.get(keyOfPackage(row)) ?? {};
    return changed_seq === row.changed_seq && since === row.since;
  };

  async function readAll(packages: readonly CountedPackage[]): Promise<void> {
    for (let at = 0; at < packages.length;) {
      const totalsOf = packages.slice(at, at + BATCH);
      const totals = (await queue.ask({ totalsOf }, closed.signal)) as PackageTotals[];
      for (const [index, each] of totals.entries()) {
        const row = totalsOf[index];
        if (row) kept.set(keyOfPackage(row), { ...each, changed_seq: row.changed_seq, since: row.since });
      }
      at += totals.length;
    }
  }

  return {
    /**
     * The totals of packages by `keyOfPackage`, each read once after a change of its package or of `since`. Waits at most `waitMs`: what is
     * not read by then is missing, or that of an earlier state, and counts in `pending`. Rejects as `ask` does.
     */
    totals: async (packages: readonly CountedPackage[], waitMs: number) => {
      const missing = packages.filter((row) => !isKept(row));
      if (missing.length > 0) {
        reading ??= readAll(missing).finally(() => (reading = null));
        reading.catch(() => undefined); // after the wait nobody listens; the next request reads again
        await withinTime(reading, waitMs);
      }
      const totals: ReadonlyMap<string, PackageTotals> = kept;
      return { totals, pending: missing.filter((row) => !isKept(row)).length };
    },
    /** The oldest first. */
    growth: (growthOf: { account: string; package_id: number }, signal: AbortSignal) =>
      queue.ask({ growthOf }, signal) as Promise<Growth[]>,
    changes: (changes: ChangesRequest, signal: AbortSignal) =>
      queue.ask({ changes }, signal) as Promise<FoundChanges>,
    close: (): Promise<void> => {
      closed.abort();
      return queue.close();
    },
  };
}
