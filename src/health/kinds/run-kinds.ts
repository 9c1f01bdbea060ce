/** Problems of runs: restricted, parked, failed, not begun, or with a clock that contradicts the machine's. */
import { fromTimestamp } from '../../lib/clock.ts';
import { formatOffset } from '../../lib/format.ts';
import { shellQuote } from '../commands.ts';
import type { HealthFacts } from '../facts.ts';
import { defineKind } from '../problem.ts';
import { findEarliest, toOneLine } from '../text.ts';

/** A restriction lasts until the full rate is back: a further one before that belongs to the same problem. */
const restricted = defineKind({
  kind: 'restricted',
  when: 'the service asked the account to wait, until its full rate is back',
  event: 'restricted',
  severity: 'attention',
  role: 'cause',
  explains: 'effects',
  place: 'requests',
  find: ({ budgets }) =>
    budgets.flatMap(({ account, pause }) =>
      pause
        ? {
            ...{ scope: { account }, account, pause, since: pause.since, nextTry: pause.until },
            isFading: !pause.in_force,
          }
        : [],
    ),
  message: ({ account, pause: { in_force, until, back_at, reason } }) =>
    `account ${account} ${in_force ? 'is' : 'was'} paused until ${until} UTC, its full rate is back at ${back_at} UTC: ${toOneLine(reason)}`,
  advice: ({ account }, formatCommand) => [
    {
      text: 'a worker resumes by itself; to end the pause now',
      command: formatCommand(`resume ${shellQuote(account)}`),
    },
    { text: 'if this happens again, lower the limits', command: formatCommand('plan') },
  ],
  fields: ({ pause: { until, back_at, reason } }) => ({ until, back_at, reason }),
  resolved: ({ account }) => `account ${account} has its full rate again`,
});

/** A run in progress knows nothing yet: what the run before it found fades. */
function findLastEnded([last, before]: HealthFacts['runs']) {
  const isRunning = last?.status === 'running';
  return { run: isRunning ? before : last, isRunning };
}

/** A pause in force explains a parked run. The incident lasts until a run ends that is not parked: one that resumes may be parked again. */
const parked = defineKind({
  kind: 'parked',
  when: 'the last run, or a part of it, waits for the budget',
  event: 'parked',
  severity: 'attention',
  role: 'cause',
  explains: 'effects',
  place: 'runs',
  find: ({ runs, budgets, now }) => {
    const { run, isRunning } = findLastEnded(runs);
    if (!run?.resume_at) return [];
    const { run_id, resume_at, status, finished_at: since } = run;
    const isPaused = budgets.some(({ pause }) => pause?.in_force);
    const isFading = isRunning || isPaused || fromTimestamp(resume_at) <= now;
    const error = toOneLine(run.error ?? '');
    return [{ since, nextTry: resume_at, run_id, resume_at, error, isWhole: status === 'parked', isFading }];
  },
  message: ({ isWhole, run_id, resume_at, error }) =>
    `${isWhole ? '' : 'a part of '}run ${run_id} is parked until ${resume_at} UTC: ${error}`,
  advice: (_, formatCommand) => [
    { text: 'a worker resumes by itself; without one, after that time', command: formatCommand('sync') },
  ],
  fields: ({ run_id, resume_at, error }) => ({ run_id, resume_at, error }),
  resolved: () => 'runs are no longer parked',
});

/**
 * Problems of packages and storage explain a failed run. The incident of a run over everything lasts until such a run does not
 * fail, that of a scoped run until the next run ends.
 */
const runFailed = defineKind({
  kind: 'run_failed',
  when: 'the last run failed, and no package or storage explains it',
  event: 'failed',
  severity: 'bad',
  role: 'cause',
  explains: 'effects',
  place: 'runs',
  find: ({ failedRun, runs, hasFailures, stoppedAccounts, nextRunAt: nextTry }) => {
    const { run, isRunning } = findLastEnded(runs);
    if (failedRun) {
      const { run_id, since } = failedRun;
      const isFading = failedRun.is_explained === 1 || stoppedAccounts.length > 0;
      return [{ run_id, error: failedRun.error ?? NO_ERROR, since, isFading, nextTry }];
    }
    if (run?.status !== 'failed') return [];
    const { run_id, finished_at: since } = run;
    return [{ run_id, error: run.error ?? NO_ERROR, since, isFading: isRunning || hasFailures, nextTry }];
  },
  message: ({ run_id, error }) => `run ${run_id} failed: ${toOneLine(error)}`,
  advice: ({ run_id }, formatCommand) => [
    { text: 'the run in full', command: formatCommand(`runs ${run_id}`) },
  ],
  fields: ({ run_id, error }) => ({ run_id, error }),
  resolved: () => 'runs no longer fail',
});

const NO_ERROR = 'no error was stored';

/** The last run gave the account up, or every package of it failed in the same way: one cause, however many packages it has. */
const accountFailed = defineKind({
  kind: 'account_failed',
  when: 'the last run gave the account up, or each of its packages failed in the same way',
  event: 'failed',
  severity: 'bad',
  role: 'cause',
  find: ({ stoppedAccounts, failedWalks, storageDetails, nextRunAt: nextTry }) =>
    stoppedAccounts.map(({ account, error, run_id, finished_at, packages }) => {
      const failures = [
        ...failedWalks.filter((row) => row.account === account),
        ...storageDetails.flatMap((row) => (row.account === account ? (row.failure ?? []) : [])),
      ];
      const since = findEarliest([...failures, { since: finished_at }]);
      return { scope: { account }, account, error, run_id, packages, since, nextTry };
    }),
  message: ({ account, error }) => `account ${account} failed: ${toOneLine(error)}`,
  advice: (_, formatCommand) => [{ text: 'to see what works', command: formatCommand('check') }],
  fields: ({ error, run_id, packages }) => ({ error, run_id, packages }),
  resolved: ({ account }) => `account ${account} no longer fails as a whole`,
});

/** No run began for two ticks: no worker runs, or it does not begin any. */
const noRun = defineKind({
  kind: 'no_run',
  when: 'data is stale, and no run began for two ticks',
  event: 'stale',
  severity: 'bad',
  role: 'cause',
  explains: 'effects',
  place: 'runs',
  find: ({ overdueRunSince: since, hasWorker }) => (since === null ? [] : [{ since, hasWorker }]),
  message: ({ since, hasWorker }) =>
    `no run since ${since} UTC${hasWorker ? '' : ', and no worker is running'}`,
  advice: ({ hasWorker }, formatCommand) => [
    hasWorker
      ? { text: 'to begin one now', command: formatCommand('sync') }
      : { text: 'to start the worker', command: formatCommand('start') },
  ],
  fields: ({ since }) => ({ last_run_at: since }),
  resolved: () => 'runs begin again',
});

/** The service contradicted the machine's clock in the last run. */
const clock = defineKind({
  kind: 'clock',
  when: "the service contradicted the machine's clock in the last run",
  event: 'clock',
  severity: 'attention',
  place: 'runs',
  find: ({ runs }) => {
    const { run, isRunning } = findLastEnded(runs);
    const offset = run?.clock_offset_ms ?? null;
    return run && offset !== null ? [{ since: run.finished_at, run, offset, isFading: isRunning }] : [];
  },
  message: ({ run, offset }) =>
    `in run ${run.run_id}, ${formatOffset(offset)}: nothing was booked, given up or deleted by age`,
  advice: () => [{ text: "set the machine's clock (timedatectl shows it)", command: null }],
  fields: ({ offset }) => ({ count: 1, offset_ms: offset }),
  resolved: () => 'the clocks agree again',
});

export const RUN_KINDS = [restricted, parked, runFailed, accountFailed, noRun, clock];
