/** Problems of runs: restricted, parked, failed, or with a clock that contradicts the machine's. */
import { query } from '../database/query.ts';
import type { FailureKind } from '../database/schema/runs.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { formatOffset } from '../lib/format.ts';
import { shellQuote } from '../lib/shell-command.ts';
import { describeFailure } from '../queries/named/failure-text.ts';
import { formatStream } from '../sync/streams.ts';
import type { RunRow } from '../queries/named/runs.ts';
import { advise, adviseOnAccount, adviseOnStream, adviseToWait, SET_CLOCK } from './advice.ts';
import { packageNames } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import { REQUESTS_PLACE, RUNS_PLACE } from './place.ts';
import { scopeOf, type Finding, type Kind } from './problem.ts';
import { findEarliest, joinPackages, toOneLine, withoutSubject } from './text.ts';

/** A restriction lasts until the full rate is back: a further one before that belongs to the same problem. */
const restricted: Kind = {
  kind: 'restricted',
  when: [
    'the service asked the account to wait, until its full rate is back',
    'the live file was restored, for a day',
  ],
  severity: 'ticket',
  explains: ['stale'],
  place: REQUESTS_PLACE,
  find: ({ budgets, formatCommand }) =>
    budgets.flatMap(({ account, pause }) => {
      if (!pause) return [];
      const { in_force, until, back_at, reason, since, of_restore } = pause;
      const cause = of_restore ? 'the live file was restored' : 'the service asked it to wait';
      const ifSafe = of_restore ? ', if few requests were sent since the backup' : '';
      return {
        scope: { account },
        since,
        nextTry: until,
        isFading: !in_force,
        message: `account ${account} ${in_force ? 'is' : 'was'} paused until ${until} UTC: ${cause}`,
        advice: advise(
          `a worker resumes by itself; to end the pause now${ifSafe}`,
          formatCommand(`resume ${shellQuote(account)}`),
        ),
        details: [
          toOneLine(reason),
          ...(of_restore
            ? []
            : [
                `its full rate is back at ${back_at} UTC`,
                `if this happens again, lower its limits: ${formatCommand('plan')}`,
              ]),
        ],
        fields: { until, back_at, reason },
      };
    }),
};

/** The last run that ended. Its problems fade while another run is in progress, because they may be over. */
function findLastEnded([last, before]: HealthFacts['runs']) {
  const isRunning = last?.status === 'running';
  return { run: isRunning ? before : last, isRunning };
}

/** The last full run over everything, if it waits for the budget. A later quick run does not change that. */
const PARKED_FULL_RUN = query<Pick<RunRow, 'run_id' | 'resume_at' | 'status' | 'error' | 'finished_at'>>(`
select run_id, resume_at, status, error, finished_at from run
where resume_at is not null and run_id = (
  select max(run_id) from run
  where scope is null and mode = 'full' and status not in ('running', 'interrupted'))`);

/**
 * A pause in force explains a parked run. The incident lasts until a full run ends that is not parked: one
 * that resumes may be parked again.
 */
const parked: Kind = {
  kind: 'parked',
  when: ['the last run or the last full one, or a part of it, waits for the budget'],
  severity: 'ticket',
  explains: ['stale'],
  place: RUNS_PLACE,
  find: ({ runs, budgets, now, read, formatCommand }) => {
    const { run: last, isRunning } = findLastEnded(runs);
    const run = last?.resume_at ? last : read(PARKED_FULL_RUN, {})[0];
    if (!run?.resume_at) return [];
    const { run_id, resume_at, status, finished_at: since } = run;
    const isPaused = budgets.some(({ pause }) => pause?.in_force);
    const isFading = isRunning || isPaused || fromTimestamp(resume_at) <= now;
    const error = toOneLine(run.error ?? '');
    const part = status === 'parked' ? '' : 'a part of ';
    return [
      {
        since,
        nextTry: resume_at,
        isFading,
        message: `${part}run ${run_id} waits until ${resume_at} UTC, to stay within the limits of requests`,
        advice: adviseToWait(formatCommand),
        details: error === '' ? [] : [error],
        fields: { run_id, resume_at, error },
      },
    ];
  },
};

const failed: Kind = {
  kind: 'failed',
  when: [
    'the last run failed, and no package or storage explains it',
    'it gave an account up, or each of its packages failed in the same way',
    'the last full walk of a package failed, or the last reading of storage',
  ],
  severity: 'page',
  explains: ['failed', 'stale'],
  place: RUNS_PLACE,
  find: (facts) =>
    [
      ...findFailedRun(facts),
      ...listFailedAccounts(facts),
      ...listFailedPackages(facts),
      ...listFailedStreams(facts),
    ].map((found) => ({ ...found, nextTry: facts.nextRunAt })),
  grouped: 'failed in their last full walk',
};

/**
 * The problem of a run over everything lasts until such a run does not fail, that of a scoped run until the
 * next run ends.
 */
function findFailedRun({
  failedRun,
  runs,
  hasFailures,
  stoppedAccounts,
  formatCommand,
}: HealthFacts): Finding[] {
  const { run, isRunning } = findLastEnded(runs);
  const found = failedRun ?? (run?.status === 'failed' ? { ...run, since: run.finished_at } : null);
  if (!found) return [];
  const { run_id, since } = found;
  const error = found.error ?? 'no error was stored';
  return [
    {
      since,
      isFading: failedRun
        ? failedRun.is_explained === 1 || stoppedAccounts.length > 0
        : isRunning || hasFailures,
      message: `run ${run_id} failed: ${toOneLine(error)}`,
      advice: advise('the run in full', formatCommand(`runs ${run_id}`)),
      fields: { run_id, error },
    },
  ];
}

/** An account that was given up is one problem, however many packages it has. */
const listFailedAccounts = ({
  stoppedAccounts,
  failedWalks,
  streamFailures,
  formatCommand,
}: HealthFacts): Finding[] =>
  stoppedAccounts.map(({ account, error, kind, host, isOfService, run_id, finished_at, packages }) => {
    const failures = [
      ...failedWalks.filter((row) => row.account === account),
      ...streamFailures.filter((row) => row.account === account),
    ];
    const toMessage = (accounts: string) => describeFailure(kind, `the service of ${accounts}`);
    return {
      scope: { account },
      since: findEarliest([...failures, { since: finished_at }]),
      packages,
      message: toMessage(account),
      shared: isOfService ? { cause: `${kind} ${host}`, toMessage } : null,
      advice: adviseOnAccount(kind, formatCommand),
      details: [`${host}: ${toOneLine(error)}`],
      fields: { error, run_id, packages },
    };
  });

/** For example `storage of west could not be read: the service does not answer`. */
const formatUnread = (name: string, kind: FailureKind): string =>
  `${name} could not be read${kind === 'unknown' ? '' : `: ${describeFailure(kind)}`}`;

const listFailedPackages = (facts: HealthFacts): Finding[] => {
  const selectorOf = packageNames(facts.config.accounts);
  return joinPackages(facts.failedWalks, facts).map((row) => {
    const { scope, since, walk_id, failures, name, isRead, kind } = row;
    const error = withoutSubject(row.error, row);
    return {
      scope,
      since,
      state: 'last walk failed',
      fields: { error, walk_id, failures },
      message: formatUnread(name, kind),
      advice: adviseOnStream(isRead, facts.formatCommand(`sync --package ${selectorOf(row)}`)),
      details: [toOneLine(error)],
    };
  });
};

const listFailedStreams = ({ streamFailures, formatCommand }: HealthFacts): Finding[] =>
  streamFailures.map(({ account, stream, since, kind, ...failure }) => {
    const place = { account, package_id: null, stream };
    const error = withoutSubject(failure.error, place);
    return {
      scope: scopeOf({ account, stream, packageId: null }),
      since,
      fields: { stream, error },
      message: formatUnread(formatStream(place), kind),
      advice: adviseOnStream(true, formatCommand(`sync --${stream}`)),
      details: [toOneLine(error)],
    };
  });

const clock: Kind = {
  kind: 'clock',
  when: ["the service contradicted the machine's clock in the last run"],
  severity: 'ticket',
  place: RUNS_PLACE,
  find: ({ runs }) => {
    const { run, isRunning } = findLastEnded(runs);
    const offset_ms = run?.clock_offset_ms ?? null;
    if (!run || offset_ms === null) return [];
    return [
      {
        since: run.finished_at,
        isFading: isRunning,
        fields: { count: 1, offset_ms },
        message: `${formatOffset(offset_ms)}: until they agree, nothing is booked, given up or deleted by age`,
        advice: SET_CLOCK,
        details: [`found in run ${run.run_id}`],
      },
    ];
  },
};

export const RUN_KINDS = [restricted, parked, clock, failed];
