/** What the pages of runs show, read from the live file. */
import * as z from 'zod';
import { formatOffset } from '../../lib/format.ts';
import { countPages } from '../../lib/count-pages.ts';
import type { Status } from '../../database/schema/runs.ts';
import type { RunGlance } from '../../queries/named/runs.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import type { RunDetails } from '../../queries/run-queries.ts';
import { pageParam } from './query-params.ts';
import type { ViewSources } from './status-view.ts';

const RUNS_PER_PAGE = 25;
const WALKS_PER_PAGE = 100;

/** Show runs with a number below `before`; missing: the newest ones. */
export const runsQuery = z.object({
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().catch(null).default(null),
});
export const runQuery = z.object({ page: pageParam });

export type RunsView = ReturnType<typeof createRunsView>;
export type RunView = NonNullable<ReturnType<typeof createRunView>>;

/** `now` is in ms since 1970. */
export function createRunsView(sources: ViewSources, { before }: z.output<typeof runsQuery>, now: number) {
  const strip = createRunStrip(sources);
  const running = sources.details.runningRun()?.run_id;
  const found = sources.details.runsBefore(before ?? Number.MAX_SAFE_INTEGER, RUNS_PER_PAGE + 1);
  const shown = found.slice(0, RUNS_PER_PAGE);
  return {
    now,
    strip,
    before,
    runs: shown.map((run) => ({ ...run, status: toShownStatus(run, running) })),
    /** The `before` of the next page; null: there is none. */
    next: found.length > RUNS_PER_PAGE ? (shown.at(-1)?.run_id ?? null) : null,
  };
}

/** Null where there is no such run. `now` is in ms since 1970. */
export function createRunView(
  { details, formatCommand }: ViewSources,
  runId: number,
  query: z.output<typeof runQuery>,
  now: number,
) {
  const found = details.run(runId);
  if (!found) return null;
  const { run } = found;
  const pages = countPages(found.walks.length, WALKS_PER_PAGE);
  const page = Math.min(query.page, Math.max(1, pages));
  return {
    ...found,
    now,
    run: { ...run, status: toShownStatus(run, details.runningRun()?.run_id) },
    waits: details.runWaits(runId),
    clock: run.clock_offset_ms === null ? null : formatOffset(run.clock_offset_ms),
    walkCount: found.walks.length,
    walks: sortWalks(found.walks).slice((page - 1) * WALKS_PER_PAGE, page * WALKS_PER_PAGE),
    page,
    pages,
    command: formatCommand(`runs ${runId} --json`),
  };
}

type Walk = RunDetails['walks'][number];

/** What did not succeed first, then what changed. */
function sortWalks(walks: readonly Walk[]): Walk[] {
  const rank = (walk: Walk) => (walk.status !== 'succeeded' ? 0 : countChanges(walk) > 0 ? 1 : 2);
  return [...walks].sort((one, other) => rank(one) - rank(other));
}

const countChanges = ({ inserted, updated, removed, restored, quarantined, held_back: held }: Walk) =>
  inserted + updated + removed + restored + quarantined + held;

/** Runs of the strip. */
const STRIP_RUNS = 90;

/** The last runs, the newest first. A run whose process was killed is `interrupted`, as the next run will write it. */
function createRunStrip({ details }: { details: PageQueries }): RunGlance[] {
  const running = details.runningRun()?.run_id;
  return details.lastRuns(STRIP_RUNS).map((run) => ({ ...run, status: toShownStatus(run, running) }));
}

/** `running`: the number of the run that a process makes now. */
function toShownStatus(
  { run_id, status }: Pick<RunGlance, 'run_id' | 'status'>,
  running: number | undefined,
): Status {
  return status === 'running' && run_id !== running ? 'interrupted' : status;
}
