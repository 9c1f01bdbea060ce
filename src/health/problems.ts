/** Finds what needs attention in the facts: the one list that `status`, the page, alerts and readiness show. Pure. */
import { MINUTE_MS, fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, pluralize, truncate } from '../lib/format.ts';
import { HIDDEN_FIELDS } from '../queries/named/videos.ts';
import type { BudgetReport, HealthFacts } from './facts.ts';
import { findHeldBack, findPackageProblems, findStreamProblems } from './package-problems.ts';
import { driftName, shellQuote, type FormatCommand } from './commands.ts';
import { createProblem, PROBLEM_KINDS, toOneLine, type Advice, type Problem } from './problem-kinds.ts';
import { findClockProblems, findFailedRun, findParkedRun } from './run-problems.ts';
import { findStorageProblems } from './storage-problems.ts';
import { findTargetProblems } from './targets.ts';
import { findFailedPublication, findRefusedPublication } from './worker-problems.ts';
import { findBackupProblem, findRefusedConfig, findRefusedPackages } from './worker-problems.ts';

/** A worker publishes right after a run; a published file that is behind for longer is a problem. */
const PUBLISHED_LATE_MS = 2 * MINUTE_MS;

/** All problems in the order of PROBLEM_KINDS, those that only keep an incident open included. */
export function findProblems(facts: HealthFacts): Problem[] {
  const found = [
    ...facts.budgets.flatMap((row) => findRestriction(row, facts)),
    ...findParkedRun(facts),
    ...findStreamProblems(facts.streams, facts),
    ...findPackageProblems(facts),
    ...findHeldBack(facts),
    ...findClockProblems(facts),
    ...findStorageProblems(facts),
    ...findPublication(facts),
    ...findBackupProblem(facts),
    ...findTargetProblems(facts.targets, facts.now, facts.formatCommand),
    ...findRefusedConfig(facts),
    ...findRefusedPackages(facts),
    ...findQuarantine(facts),
    ...findDrift(facts),
  ];
  const failed = new Set(found.filter(({ kind }) => kind === 'failed').map(scopeOf));
  const problems = found.filter((each) => each.kind !== 'never_read' || !failed.has(scopeOf(each))); // the failure says why
  const rank = new Map(PROBLEM_KINDS.map((kind, index) => [kind, index]));
  return [...problems, ...findFailedRun(facts, problems)].sort(
    (one, other) => (rank.get(one.kind) ?? 0) - (rank.get(other.kind) ?? 0),
  );
}

const scopeOf = ({ scope: { account, packageId } }: Problem) => `${account ?? ''}/${packageId ?? ''}`;

/** The first reason why the published file is not made, or is behind. */
function findPublication(facts: HealthFacts): Problem[] {
  const refused = findRefusedPublication(facts);
  if (refused.length > 0) return refused;
  return facts.failedPublication ? findFailedPublication(facts) : findUnpublished(facts);
}

/** A restriction lasts until the full rate is back: a further one before that belongs to the same problem. */
function findRestriction({ account, pause }: BudgetReport, { formatCommand }: HealthFacts): Problem[] {
  if (!pause) return [];
  const { until, back_at, reason, since, in_force } = pause;
  return [
    createProblem({
      kind: 'restricted',
      scope: { account, packageId: null },
      since,
      message: `account ${account} ${in_force ? 'is' : 'was'} paused until ${until} UTC, its full rate is back at ${back_at} UTC: ${toOneLine(reason)}`,
      advice: [
        {
          text: 'a worker resumes by itself; to end the pause now',
          command: formatCommand(`resume ${shellQuote(account)}`),
        },
        { text: 'if this happens again, lower the limits', command: formatCommand('plan') },
      ],
      fields: { until, back_at, reason },
      isFading: !in_force,
    }),
  ];
}

/** During a run, and right after it, the file is expected to be behind: only what an earlier run left unpublished fades. */
function findUnpublished({ published, runs, config, now, formatCommand }: HealthFacts): Problem[] {
  const isLate = (at?: string | null): at is string =>
    at ? fromTimestamp(at) <= now - PUBLISHED_LATE_MS : false;
  const ended = runs.map(({ finished_at: at }) => at).find(isLate);
  if (!published?.behind || ended === undefined) return [];
  const at = published.published_at;
  const isFading = !isLate(runs[0]?.finished_at);
  if (isFading && at !== null && at >= ended) return [];
  const everyMs = config.publish?.everyMs ?? 0;
  if (at !== null && everyMs > 0 && fromTimestamp(at) + everyMs > now - PUBLISHED_LATE_MS) return [];
  const state =
    at === null
      ? 'does not exist'
      : `does not show the last changes: it was made ${formatAgo(now - fromTimestamp(at))}`;
  return [
    createProblem({
      kind: 'unpublished',
      since: ended,
      message: `the published file ${state}`,
      alertMessage:
        at === null ? `the published file ${state}` : 'the published file does not show the last changes',
      advice: [{ text: null, command: formatCommand('publish') }],
      fields: { file: published.file, published_at: at },
      isFading,
    }),
  ];
}

function findQuarantine({ quarantine, now }: HealthFacts): Problem[] {
  return quarantine.map(({ account, stream, open, examples }) => {
    const left = open - examples.length;
    const where = `account = '${account.replaceAll("'", "''")}' and stream = '${stream}'`;
    const details = examples.map(({ record_id: id, package_id: packageId, reason, seen_at: seenAt }) => {
      const owner = packageId === null ? '' : ` of package ${packageId}`;
      const seen = formatAgo(now - fromTimestamp(seenAt));
      return `${truncate(id ?? 'without an id', 30)}${owner}: ${truncate(reason, 70)} (seen ${seen})`;
    });
    return createProblem({
      kind: 'quarantine',
      scope: { account, packageId: null },
      since: examples[0]?.seen_at ?? null,
      message: `${pluralize(open, 'record')} of ${account} (${stream}) in quarantine`,
      details: [...details, ...(left > 0 ? [`and ${formatCount(left)} more`] : [])],
      advice: [{ text: null, command: `select * from quarantine where ${where} and resolved_at is null` }],
      fields: {
        count: open,
        records: examples.map((row) => ({ stream, ...row })),
      },
    });
  });
}

function findDrift({ drift, now, formatCommand }: HealthFacts): Problem[] {
  const unseen = drift.filter(({ acknowledged_at: at }) => at === null);
  return unseen.map(({ account, stream, field, kind, sample, first_seen_at: since }) => {
    const records = `${stream === 'videos' ? 'videos' : 'storage days'} of ${account}`;
    const name = truncate(field, 60);
    const value = HIDDEN_FIELDS.includes(field) ? 'not shown here' : truncate(sample ?? '', 60);
    const text = {
      new: `have a field that is not documented: ${name}, e.g. ${value}`,
      missing: `lack the documented field ${name}`,
      type: `have another type in ${name}: ${value}`,
    }[kind];
    const seen = formatAgo(now - fromTimestamp(since));
    return createProblem({
      kind: 'drift',
      scope: { account, packageId: null },
      since,
      message: `${records} ${text} (first seen ${seen})`,
      alertMessage: `${records} ${text}`,
      advice: [adviseDrift({ account, stream, field }, formatCommand)],
      fields: { count: 1, fields: [{ stream, field: name, kind }] },
    });
  });
}

/** A long or unusual name cannot be copied from a terminal: the command without a name accepts all drift. */
function adviseDrift(drift: Parameters<typeof driftName>[0], formatCommand: FormatCommand): Advice {
  if (!/^[\x20-\x7e]{1,60}$/.test(drift.field))
    return { text: 'to accept all drift', command: formatCommand('acknowledge') };
  return { text: 'to accept it', command: formatCommand(`acknowledge ${driftName(drift)}`) };
}
