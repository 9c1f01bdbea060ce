/** The last runs at a glance. */
import type { Status } from '../../database/schema/runs.ts';
import type { RunGlance } from '../../queries/named/runs.ts';
import type { PageQueries } from '../../queries/page-queries.ts';

const RUNS = 90;

/** The last runs, the newest first. A run whose process was killed is `interrupted`, as the next run will write it. */
export function createRunStrip({ details }: { details: PageQueries }): RunGlance[] {
  const running = details.runningRun()?.run_id;
  return details.lastRuns(RUNS).map((run) => ({ ...run, status: toShownStatus(run, running) }));
}

/** `running`: the number of the run that a process makes now. */
export function toShownStatus(
  { run_id, status }: Pick<RunGlance, 'run_id' | 'status'>,
  running: number | undefined,
): Status {
  return status === 'running' && run_id !== running ? 'interrupted' : status;
}
