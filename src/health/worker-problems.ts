/** Problems of the worker itself: its backups, and a config that it refused. Pure. */
import type { HealthFacts } from './facts.ts';
import { createProblem, toOneLine, type Problem } from './problem-kinds.ts';

/** The newest backup failed, or none was made for two ticks of its schedule; it ends with the next one that is made. */
export function findBackupProblem({ backup, overdueBackup, formatCommand }: HealthFacts): Problem[] {
  if (!backup) return [];
  const { error, failing_since: failingSince, made_at: madeAt } = backup;
  const since = error ? failingSince : overdueBackup;
  if (since === null) return [];
  const last = madeAt === null ? 'there is none yet' : `the last one was made at ${madeAt} UTC`;
  const text = error
    ? 'the worker tries again an hour after a failure, or at the next tick of backup.schedule'
    : 'the worker begins again each minute, but a reload, a change of a CSV file of packages and a stop end a backup under way';
  return [
    createProblem({
      kind: 'backup',
      since,
      message: `the backup of the warehouse ${error ? 'failed' : 'is overdue'}, ${last}${error ? `: ${toOneLine(error)}` : ''}`,
      advice: [{ text: `${text}; to make one now`, command: formatCommand('backup FILE') }],
      fields: { made_at: madeAt, error },
    }),
  ];
}

/** A file that no publication may replace: it ends when that is moved away, or another one is named. */
export function findRefusedPublication({
  refusedPublication: refused,
  failedPublication,
  published,
  formatCommand,
}: HealthFacts): Problem[] {
  if (!refused || !published) return [];
  const { error, hint } = refused;
  return [
    createProblem({
      kind: 'unpublished',
      since: failedPublication?.at ?? null,
      message: `the published file cannot be made: ${toOneLine(error)}`,
      advice: [
        ...(hint === null ? [] : [{ text: hint, command: null }]),
        { text: 'then', command: formatCommand('publish') },
      ],
      fields: { file: published.file, published_at: published.published_at, error },
    }),
  ];
}

/** It ends with a publication that succeeds, and with the worker. */
export function findFailedPublication({
  failedPublication: failed,
  published,
  formatCommand,
}: HealthFacts): Problem[] {
  if (!failed || !published) return [];
  const { file, published_at: at } = published;
  const last = at === null ? 'there is none yet' : `the last one was made at ${at} UTC`;
  return [
    createProblem({
      kind: 'unpublished',
      since: failed.at,
      message: `the published file cannot be made, ${last}: ${toOneLine(failed.error)}`,
      advice: [
        { text: 'the worker tries again after each run; to try it now', command: formatCommand('publish') },
      ],
      fields: { file, published_at: at, error: failed.error },
    }),
  ];
}

/** A CSV file of packages that no worker has read yet, for `status`. */
export function findUnusableFiles(
  unusable: readonly { account: string; problem: string }[],
  { refusedPackages, formatCommand }: Pick<HealthFacts, 'refusedPackages' | 'formatCommand'>,
): Problem[] {
  if (refusedPackages) return [];
  return unusable.map(({ account, problem }) =>
    createProblem({
      kind: 'config_refused',
      scope: { account, packageId: null },
      message: `the packages of ${account} cannot be read, the next run keeps or refuses them: ${toOneLine(problem)}`,
      advice: [{ text: 'correct the file; to test it', command: formatCommand('check') }],
      fields: { error: problem },
    }),
  );
}

/** It ends with a reading of the files that the worker accepts, and with the worker. */
export function findRefusedPackages({ refusedPackages, formatCommand }: HealthFacts): Problem[] {
  if (!refusedPackages) return [];
  const { at, what, error } = refusedPackages;
  const check = {
    text: 'correct the file: the worker reads it again at each run; to test it',
    command: formatCommand('check'),
  };
  const accept = { text: 'if it is meant', command: formatCommand('sync --accept-retirements') };
  return [
    createProblem({
      kind: 'config_refused',
      since: at,
      message: `the worker continues with the packages it had: ${toOneLine(error)}`,
      advice: what === 'leaving' ? [check, accept] : [check],
      fields: { error },
    }),
  ];
}

/** It ends with a config that the worker accepts, and with the worker. */
export function findRefusedConfig({ refusedConfig, formatCommand }: HealthFacts): Problem[] {
  if (!refusedConfig) return [];
  const { at, error } = refusedConfig;
  return [
    createProblem({
      kind: 'config_refused',
      since: at,
      message: `the worker refused the changed config and continues with the one it had: ${toOneLine(error)}`,
      advice: [{ text: 'correct it, then send SIGHUP to the worker again', command: formatCommand('check') }],
      fields: { error },
    }),
  ];
}
