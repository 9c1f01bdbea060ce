/** The progress of the current run. Pure. */
import type { Config } from '../../config/config.ts';
import { countPages } from '../../lib/count-pages.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import type { RunningRun } from '../../queries/page-queries.ts';
import type { RunningWalk } from '../../queries/named/status.ts';
import type { ChangeMarker } from '../../queries/named/videos.ts';

/** The packages that a full run is to walk: a run of the schedule leaves out those with their own one, unless they are due. */
export function countRunPackages(accounts: Config['accounts'], run: Pick<RunningRun, 'trigger'>): number {
  const packages = accounts.flatMap((account) => account.packages);
  return packages.filter(({ full }) => full === undefined || run.trigger === 'manual').length;
}

/** `packages` counts those that the run is to walk; `now` is in ms since 1970. */
export function toRunProgress(run: RunningRun, packages: number, now: number) {
  const { run_id, mode, trigger, started_at } = run;
  const isUnscoped = mode === 'full' && run.scope === null;
  return {
    run_id,
    mode,
    trigger,
    started_at,
    elapsedMs: Math.max(0, now - fromTimestamp(started_at)),
    /** Packages walked; null for a quick run (a quick walk that finds nothing is not stored) and for a scoped run. */
    packages: isUnscoped ? { done: Math.min(run.walked, packages), all: packages } : null,
    walks: run.running_walks.map(toWalkProgress),
  };
}

/** `pages` counts pages of the list that were read; null before the first one is stored. */
function toWalkProgress(walk: RunningWalk) {
  const { account, package_id, name, totalcount, page_size, checkpoint_page, mode } = walk;
  const all = totalcount === null || !page_size ? 0 : Math.max(1, countPages(totalcount, page_size));
  const isKnown = mode === 'full' && all > 0 && checkpoint_page !== null;
  const done = Math.min(all, Math.max(0, all - (checkpoint_page ?? 0) + 1));
  return { account, package_id, name, pages: isKnown ? { done, all } : null };
}

export type WalkProgress = ReturnType<typeof toWalkProgress>;

/** During a run the page refreshes at most this often. */
const REFRESH_MS = 5_000;

/** Changes when the page has something new to show. */
export function toChangeMarker(stamp: ChangeMarker, running: RunningRun | null, now: number): string {
  const {
    change_seq: seq,
    last_run: run,
    last_reading: reading,
    restricted_until: until,
    last_load: load,
  } = stamp;
  const facts = running ? [running.run_id, Math.floor(now / REFRESH_MS)] : [seq];
  return [...facts, run, reading, until, load].join('.').replaceAll(' ', 'T');
}
