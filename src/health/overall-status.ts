/** The state of everything in one sentence. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, pluralize } from '../lib/format.ts';
import { groupProblems, type Problem, type ProblemKind } from './problem-kinds.ts';
import type { HealthReport } from './report.ts';

export interface OverallStatus {
  /** `good`: nothing to do. `warn`: something needs attention. `bad`: something is stale or failed. `new`: nothing was read yet. */
  level: 'good' | 'warn' | 'bad' | 'new';
  /** A sentence without a full stop. */
  text: string;
}

type Facts = Pick<HealthReport, 'packages' | 'storage' | 'problems'>;

/** The overall status at `now` (ms). During the first load, `problems` has none of kind `never_read`. */
export function getOverallStatus(
  { packages, storage, problems }: Facts,
  now: number,
  isLoading: boolean,
): OverallStatus {
  const walked = packages.flatMap(({ walked_at: at }) => at ?? []).sort();
  const newest = walked.at(-1);
  if (!isLoading && isNothingRead({ packages, storage, problems }))
    return { level: 'new', text: NOTHING_READ };
  const isFirstLoad = isLoading && walked.length < packages.length;
  const isBad = problems.some(({ severity }) => severity === 'bad');
  const packageTexts = describePackages(problems, packages.length, now);
  const hasWalkTime = newest !== undefined && !isFirstLoad && !packages.some(({ stale }) => stale);
  const items = groupProblems(problems).length;
  const text = [
    ...(packageTexts.length > 0
      ? packageTexts
      : [isFirstLoad ? firstLoadText(walked.length, packages.length) : freshText(packages.length)]),
    ...describeStorage(problems),
    ...(hasWalkTime ? [`last full walk ${formatAgo(now - fromTimestamp(newest))}`] : []),
    ...(items > 0 && !isBad ? [`${pluralize(items, 'item needs', 'items need')} attention`] : []),
  ].join('; ');
  const level = isBad ? 'bad' : items > 0 ? 'warn' : isFirstLoad ? 'new' : 'good';
  return { level, text: text.charAt(0).toUpperCase() + text.slice(1) };
}

/** What `status` and the page say before the first run. */
export const NOTHING_READ = 'Nothing was synced yet';

/** Was neither a package nor storage ever read, and did no run fail at it? */
export function isNothingRead({ packages, storage, problems }: Facts): boolean {
  const isRead = packages.some(({ walked_at: at }) => at) || storage.some(({ read_at: at }) => at);
  return !isRead && !problems.some(({ kind }) => FAILURES.includes(kind));
}

const FAILURES: readonly ProblemKind[] = ['run_failed', 'scoped_run_failed', 'failed'];

/** Which packages are stale, and how many failed; a failed run if there are neither. */
function describePackages(problems: readonly Problem[], packages: number, now: number): string[] {
  const ofPackages = problems.filter(({ scope }) => scope.packageId !== null);
  const stale = ofPackages.filter(({ kind }) => kind === 'stale' || kind === 'never_read');
  const failed = ofPackages.filter(({ kind }) => kind === 'failed').length;
  const isRunFailed = problems.some(({ kind }) => kind === 'run_failed' || kind === 'scoped_run_failed');
  return [
    ...(stale.length > 0 ? [staleText(stale, packages, now)] : []),
    ...(failed > 0 ? [`the last walk of ${pluralize(failed, 'package')} failed`] : []),
    ...(isRunFailed && failed + stale.length === 0 ? ['the last run failed'] : []),
  ];
}

/** Storage that is stale, and storage that failed and is not stale yet. */
function describeStorage(problems: readonly Problem[]): string[] {
  const accountsWith = (...kinds: ProblemKind[]) =>
    problems
      .filter(({ kind, scope }) => kinds.includes(kind) && scope.packageId === null)
      .map(({ scope }) => scope.account);
  const stale = accountsWith('stale', 'never_read');
  const failed = accountsWith('failed').filter((account) => !stale.includes(account));
  return [
    ...(stale.length > 0 ? [`storage of ${stale.join(', ')} is stale`] : []),
    ...(failed.length > 0 ? [`storage of ${failed.join(', ')} failed`] : []),
  ];
}

function firstLoadText(walked: number, packages: number): string {
  return `first load: ${formatCount(walked)} of ${pluralize(packages, 'package')} read`;
}

function freshText(packages: number): string {
  if (packages === 0) return 'no packages are configured';
  return packages === 1 ? 'the only package is fresh' : `all ${formatCount(packages)} packages fresh`;
}

function staleText(stale: readonly Problem[], packages: number, now: number): string {
  const read = stale.flatMap(({ since }) => since ?? []).sort();
  const [oldest] = read;
  const never = stale.length - read.length;
  return [
    formatStalePackages(stale.length, packages),
    ...(oldest === undefined ? [] : [`the oldest was last walked ${formatAgo(now - fromTimestamp(oldest))}`]),
    ...(never === 0 ? [] : [`${formatCount(never)} ${never === 1 ? 'has' : 'have'} had no full walk yet`]),
  ].join('; ');
}

/** How many of all packages are stale: `2 of 5 packages are stale`. */
export function formatStalePackages(stale: number, packages: number): string {
  if (packages === 1) return 'the only package is stale';
  return `${formatCount(stale)} of ${pluralize(packages, 'package')} ${stale === 1 ? 'is' : 'are'} stale`;
}
