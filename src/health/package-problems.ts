/** Problems of streams and packages: unread, stale, failed, incomplete, unordered, or with removals held back. Pure. */
import type { HeldReason } from '../database/schema/videos.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, pluralize, truncate } from '../lib/format.ts';
import type { HealthFacts } from './facts.ts';
import { packageNames } from './commands.ts';
import { createProblem, toOneLine, type Problem } from './problem-kinds.ts';
import type { Stream } from './streams.ts';

const HELD_REASONS: Record<HeldReason, string> = {
  many: 'too many at once',
  all: 'all videos of the package at once',
  order: 'the list was out of order before',
};

/** Why removals are held back. */
export function formatHeldReason(reasons: readonly HeldReason[]): string {
  return reasons.map((reason) => HELD_REASONS[reason]).join('; ');
}

export const CONFIRMATION_HINT =
  'They are removed automatically once another full walk (at least one schedule later) confirms them.';

/** Streams that are stale or were never read; `commands`: for the advice, if it is shown. */
export function findStreamProblems(
  streams: readonly Stream[],
  commands?: Pick<HealthFacts, 'config' | 'formatCommand'>,
): Problem[] {
  const selectorOf = packageNames(commands?.config.accounts ?? []);
  return streams.flatMap(({ account, stream, packageId, name, at, isStale }) => {
    if (at !== null && !isStale) return [];
    const subject = packageId === null ? `storage of ${account}` : formatPackage(account, packageId, name);
    const last = packageId === null ? 'last read' : 'last full walk';
    const never = packageId === null ? 'was never read' : 'has had no full walk yet';
    const scope =
      packageId === null ? '--storage' : `--package ${selectorOf({ account, package_id: packageId })}`;
    return createProblem({
      kind: at === null ? 'never_read' : 'stale',
      scope: { account, packageId },
      since: at,
      message: at === null ? `${subject} ${never}` : `${subject} is stale: ${last} at ${at} UTC`,
      advice:
        at === null && commands ? [{ text: null, command: commands.formatCommand(`sync ${scope}`) }] : [],
      fields: { stream, last_read_at: at },
    });
  });
}

const NEVER_READ_HINT =
  'it was never read: if its id is wrong, correct it in the config or take it out; else the next run tries again';

/** Packages whose last full walk failed or is incomplete, or whose list is not sorted. */
export function findPackageProblems({ packages, failedWalks, partialWalks }: HealthFacts): Problem[] {
  const failures = byPackage(failedWalks);
  const partials = byPackage(partialWalks);
  return packages.flatMap((row) => {
    const { account, package_id: packageId } = row;
    const scope = { account, packageId };
    const name = formatPackage(account, packageId, row.name);
    const key = `${account}/${packageId}`;
    const [failure, incomplete] = [failures.get(key), partials.get(key)];
    const problems: Problem[] = [];
    if (failure) {
      const { walk_id, failures: count, since } = failure;
      const error = withoutSubject(
        failure.error ?? 'no error was stored',
        `account ${account}, package ${packageId}`,
      );
      const message = `${name} failed: ${toOneLine(error)}`;
      const advice = row.walked_at === null ? [{ text: NEVER_READ_HINT, command: null }] : [];
      const fields = { error, walk_id, failures: count };
      problems.push(createProblem({ kind: 'failed', scope, since, message, advice, fields }));
    } else if (incomplete) {
      const { walk_id, since } = incomplete;
      const error = incomplete.error ?? 'no error was stored';
      const message = `${name}: the last full walk is incomplete: ${toOneLine(error)}`;
      problems.push(createProblem({ kind: 'partial', scope, since, message, fields: { error, walk_id } }));
    }
    const isOnOnePage = row.pages !== null && row.pages <= 1; // one page has the complete list, which proves removals in any order
    if (row.order === 'untrusted' && !isOnOnePage) {
      const message = `${name} is not listed in order of ids: its videos are stored, its removals wait for proof`;
      problems.push(createProblem({ kind: 'unordered', scope, since: row.walked_at, message }));
    }
    return problems;
  });
}

function byPackage<Row extends { account: string; package_id: number }>(rows: readonly Row[]) {
  return new Map(rows.map((row) => [`${row.account}/${row.package_id}`, row]));
}

/** Packages with removals that are held back. */
export function findHeldBack({ held_back, packages, now }: HealthFacts): Problem[] {
  const reports = byPackage(packages);
  return held_back.map(({ account, package_id: packageId, removals, reasons, since, examples, command }) => {
    const name = formatPackage(account, packageId, reports.get(`${account}/${packageId}`)?.name ?? null);
    const left = removals - examples.length;
    return createProblem({
      kind: 'held_back',
      scope: { account, packageId },
      since,
      message: `${name}: ${pluralize(removals, 'removal')} held back, ${formatHeldReason(reasons)}`,
      details: [
        ...examples.map(({ id, title }) => `${id}  ${truncate(title ?? '', 60)}`),
        ...(left > 0 ? [`and ${formatCount(left)} more`] : []),
        `first held back ${formatAgo(now - fromTimestamp(since))}`,
      ],
      advice: [
        { text: CONFIRMATION_HINT, command: null },
        { text: 'to accept exactly these', command },
      ],
      fields: { removals, reasons, command },
    });
  });
}

/** `main/101 (Lectures)`. */
export function formatPackage(account: string, packageId: number, name: string | null): string {
  return `${account}/${packageId}${name === null ? '' : ` (${toOneLine(name, 60)})`}`;
}

/** The error without its subject: errors of requests begin with it, and the message names it already. */
export function withoutSubject(error: string, subject: string): string {
  const rest = error.startsWith(subject) ? error.slice(subject.length) : '';
  return /^[,:]? /.test(rest) ? rest.replace(/^[,:]? /, '') : error;
}
