/** Problems of the last run: parked, failed, or with a clock that contradicts the machine's. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatOffset } from '../lib/format.ts';
import type { FormatCommand } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import { createProblem, toOneLine, type Problem } from './problem-kinds.ts';

/** A run in progress knows nothing yet: what the run before it found fades. */
function findLastEnded([last, before]: HealthFacts['runs']) {
  const isRunning = last?.status === 'running';
  return { run: isRunning ? before : last, isRunning };
}

/**
 * A pause in force explains a parked run, and is reported instead. The incident lasts until a run ends that is not parked: a
 * run that resumes may be parked again.
 */
export function findParkedRun({ runs, budgets, now, formatCommand }: HealthFacts): Problem[] {
  const { run, isRunning } = findLastEnded(runs);
  if (!run?.resume_at) return [];
  const { run_id, resume_at } = run;
  const subject = `${run.status === 'parked' ? '' : 'a part of '}run ${run_id}`;
  const isPaused = budgets.some(({ pause }) => pause?.in_force);
  const error = toOneLine(run.error ?? '');
  return [
    createProblem({
      kind: 'parked',
      since: run.finished_at,
      message: `${subject} is parked until ${resume_at} UTC: ${error}`,
      advice: [
        { text: 'a worker resumes by itself; without one, after that time', command: formatCommand('sync') },
      ],
      fields: { run_id, resume_at, error },
      isFading: isRunning || isPaused || fromTimestamp(resume_at) <= now,
    }),
  ];
}

/**
 * Problems of packages and storage explain a failed run. The incident of a run over everything lasts until such a run does not
 * fail, that of a scoped run until the next run ends.
 */
export function findFailedRun(
  { failedRun, runs, formatCommand }: HealthFacts,
  others: readonly Problem[],
): Problem[] {
  if (failedRun) {
    const { run_id, error, since, is_explained } = failedRun;
    const isFading = is_explained === 1;
    return [createFailedRun('run_failed', { run_id, error, since, isFading }, formatCommand)];
  }
  const { run, isRunning } = findLastEnded(runs);
  if (run?.status !== 'failed') return [];
  const isExplained = others.some(({ kind }) => kind === 'failed');
  const { run_id, error, finished_at: since } = run;
  const isFading = isRunning || isExplained;
  return [createFailedRun('scoped_run_failed', { run_id, error, since, isFading }, formatCommand)];
}

function createFailedRun(
  kind: 'run_failed' | 'scoped_run_failed',
  {
    run_id,
    error,
    since,
    isFading,
  }: Pick<Problem, 'since' | 'isFading'> & {
    run_id: number;
    error: string | null;
  },
  formatCommand: FormatCommand,
): Problem {
  const text = error ?? 'no error was stored';
  const message = `run ${run_id} failed: ${toOneLine(text)}`;
  const advice = [{ text: 'the run in full', command: formatCommand(`runs ${run_id}`) }];
  return createProblem({ kind, since, message, advice, fields: { run_id, error: text }, isFading });
}

/** The service contradicted the machine's clock in the last run. */
export function findClockProblems({ runs }: HealthFacts): Problem[] {
  const { run, isRunning } = findLastEnded(runs);
  const offset = run?.clock_offset_ms ?? null;
  if (offset === null) return [];
  const problem = createProblem({
    kind: 'clock',
    since: run?.finished_at ?? null,
    message: `in run ${run?.run_id ?? ''}, ${formatOffset(offset)}: nothing was booked, given up or deleted by age`,
    advice: [{ text: "set the machine's clock (timedatectl shows it)", command: null }],
    fields: { count: 1, offset_ms: offset },
    isFading: isRunning,
  });
  return [problem];
}
