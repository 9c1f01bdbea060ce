/** Problems of the published file, of backups, and of a config that the worker refused. */
import { fromTimestamp, MINUTE_MS } from '../../lib/clock.ts';
import type { HealthFacts } from '../facts.ts';
import { defineKind, type Finding } from '../problem.ts';
import { toOneLine } from '../text.ts';

/** A worker publishes right after a run; a published file that is behind for longer is a problem. */
const PUBLISHED_LATE_MS = 2 * MINUTE_MS;

interface UnpublishedFinding extends Finding {
  file: string;
  at: string | null;
  /** Why the last publication failed, or none may replace the file. */
  error: string | null;
  hint: string | null;
  isRefused: boolean;
}

/** The first reason why the published file is not made, or is behind. */
const unpublished = defineKind<UnpublishedFinding>({
  kind: 'unpublished',
  when: 'publications fail, or the published file lacks the changes of a run two minutes after it',
  event: 'unpublished',
  severity: 'attention',
  find: (facts) => {
    const { published, refusedPublication: refused, failedPublication: failure } = facts;
    if (!published) return [];
    const { file, published_at: at } = published;
    const base: UnpublishedFinding = { file, at, error: null, hint: null, isRefused: false, since: null };
    if (refused) return [{ ...base, ...refused, since: failure?.at ?? null, isRefused: true }];
    if (failure) return [{ ...base, error: failure.error, since: failure.at }];
    const behind = findBehind(facts);
    return behind ? [{ ...base, ...behind }] : [];
  },
  message: ({ at, error, isRefused }) => {
    const last = at === null ? 'there is none yet' : `the last one was made at ${at} UTC`;
    if (error !== null)
      return `the published file cannot be made${isRefused ? '' : `, ${last}`}: ${toOneLine(error)}`;
    return at === null
      ? 'the published file does not exist'
      : 'the published file does not show the last changes';
  },
  advice: ({ hint, error, isRefused }, formatCommand) => [
    ...(hint === null ? [] : [{ text: hint, command: null }]),
    {
      text: isRefused
        ? 'then'
        : error === null
          ? null
          : 'the worker tries again after each run; to try it now',
      command: formatCommand('publish'),
    },
  ],
  fields: ({ file, at, error }) => ({ file, published_at: at, ...(error !== null && { error }) }),
  resolved: () => 'the published file shows the last changes again',
});

/** During a run, and right after it, the file is expected to be behind: only what an earlier run left unpublished fades. */
function findBehind({ published, runs, config, now }: HealthFacts) {
  const isLate = (at?: string | null): at is string =>
    at ? fromTimestamp(at) <= now - PUBLISHED_LATE_MS : false;
  const since = runs.map(({ finished_at: at }) => at).find(isLate);
  if (!published?.behind || since === undefined) return null;
  const at = published.published_at;
  const isFading = !isLate(runs[0]?.finished_at);
  if (isFading && at !== null && at >= since) return null;
  const everyMs = config.publish?.everyMs ?? 0;
  const isWaiting = at !== null && everyMs > 0 && fromTimestamp(at) + everyMs > now - PUBLISHED_LATE_MS;
  return isWaiting ? null : { since, isFading };
}

/** The newest backup failed, or none was made for two ticks of its schedule; it ends with the next one that is made. */
const backup = defineKind({
  kind: 'backup',
  when: 'the last backup failed, or none was made for two ticks',
  event: 'backup',
  severity: 'attention',
  find: ({ backup: last, overdueBackup }) => {
    const since = last?.error ? last.failing_since : overdueBackup;
    return last && since !== null ? [{ since, error: last.error, madeAt: last.made_at }] : [];
  },
  message: ({ error, madeAt }) => {
    const last = madeAt === null ? 'there is none yet' : `the last one was made at ${madeAt} UTC`;
    return `the backup of the warehouse ${error ? 'failed' : 'is overdue'}, ${last}${error ? `: ${toOneLine(error)}` : ''}`;
  },
  advice: ({ error }, formatCommand) => [
    {
      text: `${error ? 'the worker tries again an hour after a failure' : 'the worker begins again each minute'}; to make one now`,
      command: formatCommand('backup FILE'),
    },
  ],
  fields: ({ madeAt, error }) => ({ made_at: madeAt, error }),
  resolved: () => 'a backup was made again',
});

/** It ends with a config that the worker accepts, and with the worker. */
const configRefused = defineKind({
  kind: 'config_refused',
  when: 'the worker refused a changed config, and continues with the one it had',
  event: 'config',
  severity: 'attention',
  find: ({ refusedConfig }) => (refusedConfig ? [{ since: refusedConfig.at, ...refusedConfig }] : []),
  message: ({ error }) =>
    `the worker refused the changed config and continues with the one it had: ${toOneLine(error)}`,
  advice: (_, formatCommand) => [
    { text: 'correct it, then send SIGHUP to the worker again', command: formatCommand('check') },
  ],
  fields: ({ error }) => ({ error }),
  resolved: () => 'the worker has a valid config again',
});

interface PackagesFinding extends Finding {
  error: string;
  /** Null: the worker tells of all accounts. */
  account: string | null;
  what: 'file' | 'leaving' | null;
}

/** The packages of a CSV file. It ends with a reading that the worker accepts, and with the worker. */
const packagesRefused = defineKind<PackagesFinding>({
  kind: 'packages_refused',
  when: 'a CSV file of packages cannot be used, and the worker continues with those it had',
  event: 'config',
  severity: 'attention',
  find: ({ refusedPackages: refused, unusableFiles }) => {
    if (refused) return [{ since: refused.at, error: refused.error, account: null, what: refused.what }];
    return unusableFiles.map(({ account, problem: error }) => ({
      ...{ scope: { account }, since: null, account, error, what: null },
    }));
  },
  message: ({ account, error }) =>
    account === null
      ? `the worker continues with the packages it had: ${toOneLine(error)}`
      : `the packages of ${account} cannot be read, the next run keeps or refuses them: ${toOneLine(error)}`,
  advice: ({ what }, formatCommand) => [
    {
      text: 'correct the file: it is read again at each run; to test it',
      command: formatCommand('check'),
    },
    ...(what === 'leaving'
      ? [{ text: 'if it is meant', command: formatCommand('sync --accept-retirements') }]
      : []),
  ],
  fields: ({ error }) => ({ error }),
  resolved: () => 'the worker accepts the files of packages again',
});

export const WORKER_KINDS = [unpublished, backup, configRefused, packagesRefused];
