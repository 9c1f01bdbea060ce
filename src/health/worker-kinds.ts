/** Problems of the published file, of backups, and of a config or packages that the worker refused. */
import { fromTimestamp, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { advise } from './advice.ts';
import type { HealthFacts } from './facts.ts';
import type { Kind } from './problem.ts';
import { joinHints, toOneLine } from './text.ts';

/** A worker publishes right after a run; a published file that is behind for longer is a problem. */
const PUBLISHED_LATE_MS = 2 * MINUTE_MS;
/** A publication of a large file takes minutes; one that takes longer than this hangs. */
const LONGEST_PUBLICATION_MS = HOUR_MS;

const formatLast = (at: string | null) =>
  at === null ? 'there is none yet' : `the last one was made at ${at} UTC`;

/** Of several reasons why the published file is not made or is behind, the first one is shown. */
const unpublished: Kind = {
  kind: 'unpublished',
  when: [
    'publications fail, or the published file lacks the changes of a run two minutes after it and is not being made',
  ],
  severity: 'page',
  find: (facts) => {
    const { published, refusedPublication: refused, failedPublication: failure, formatCommand } = facts;
    if (!published) return [];
    const { file, published_at } = published;
    const fields = { file, published_at };
    const command = formatCommand('publish');
    const error = refused?.error ?? failure?.error;
    if (error !== undefined) {
      const advice = refused
        ? joinHints(refused.hint, 'then')
        : joinHints(failure?.hint ?? 'it is tried again after each run', 'to try it now');
      return [
        {
          since: failure?.at ?? null,
          message: `the published file cannot be made${refused ? '' : `, ${formatLast(published_at)}`}`,
          advice: advise(advice, command),
          details: [toOneLine(error)],
          fields: { ...fields, error },
        },
      ];
    }
    const behind = findBehind(facts);
    const lacks = published_at === null ? 'does not exist' : 'does not show the last changes';
    return behind
      ? [
          {
            ...behind,
            message: `the published file ${lacks}`,
            advice: advise('to make it now', command),
            fields,
          },
        ]
      : [];
  },
};

/**
 * During a run, right after it, and while it is made, the file is expected to be behind: only what an earlier
 * run left unpublished fades.
 */
function findBehind({ published, publishingSince, runs, config, now }: HealthFacts) {
  const isLate = (at?: string | null): at is string =>
    at ? fromTimestamp(at) <= now - PUBLISHED_LATE_MS : false;
  const since = runs.map(({ finished_at: at }) => at).find(isLate);
  if (!published?.behind || since === undefined) return null;
  const at = published.published_at;
  const isBeingMade =
    publishingSince !== null && fromTimestamp(publishingSince) > now - LONGEST_PUBLICATION_MS;
  const isFading = isBeingMade || !isLate(runs[0]?.finished_at);
  if (isFading && at !== null && at >= since) return null;
  const everyMs = config.publish?.everyMs ?? 0;
  const isWaiting = at !== null && everyMs > 0 && fromTimestamp(at) + everyMs > now - PUBLISHED_LATE_MS;
  return isWaiting ? null : { since, isFading };
}

/** The problem ends with the next backup that is made. */
const backup: Kind = {
  kind: 'backup',
  when: ['the last backup failed, or none was made for two ticks'],
  severity: 'ticket',
  find: ({ backup: last, overdueBackup, formatCommand }) => {
    const since = last?.error ? last.failing_since : overdueBackup;
    if (!last || since === null) return [];
    const { error, made_at } = last;
    const again = error
      ? 'a running worker tries again an hour after a failure'
      : 'a running worker begins again each minute';
    return [
      {
        since,
        fields: { made_at, error },
        message: `the backup of the warehouse ${error ? 'failed' : 'is overdue'}, ${formatLast(made_at)}`,
        advice: advise(`${again}; to make one now`, formatCommand('backup FILE')),
        details: error ? [toOneLine(error)] : [],
      },
    ];
  },
};

/** The problem ends when the worker accepts the config or the file, and when the worker ends. */
const config: Kind = {
  kind: 'config',
  when: [
    'the worker refused a changed config, and continues with the one it had',
    'a CSV file of packages cannot be used, and the worker continues with those it had',
  ],
  severity: 'ticket',
  find: ({ refusedConfig, refusedPackages, unusableFiles, formatCommand }) => {
    const check = formatCommand('check');
    const fileAdvice = advise('correct the file: it is read again at each run; to test it', check);
    const accept = advise(
      'correct the file, or if the packages are meant to leave',
      formatCommand('sync --accept-retirements'),
    );
    const toFinding = (since: string | null, message: string, error: string, advice = fileAdvice) => ({
      since,
      message,
      advice,
      details: [toOneLine(error)],
      fields: { error },
    });
    if (refusedConfig) {
      const advice = advise('correct it, then send SIGHUP to the worker again; to test it', check);
      const text = 'the worker refused the changed config and continues with the one it had';
      return [toFinding(refusedConfig.at, text, refusedConfig.error, advice)];
    }
    if (refusedPackages) {
      const { at, error, what } = refusedPackages;
      const advice = what === 'leaving' ? accept : fileAdvice;
      return [toFinding(at, 'the worker continues with the packages it had', error, advice)];
    }
    return unusableFiles.map(({ account, problem }) => ({
      ...toFinding(
        null,
        `the packages of ${account} cannot be read, the next run keeps or refuses them`,
        problem,
      ),
      scope: { account },
    }));
  },
};

export const WORKER_KINDS = [unpublished, backup, config];
