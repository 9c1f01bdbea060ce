/** How things stand, in one sentence. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, pluralize } from '../lib/format.ts';
import type { Standing } from './report.ts';

export interface OverallStatus {
  /** `good`: nothing to do. `look`: something needs a person. `bad`: something is stale or failed. `new`: nothing was read yet. */
  level: 'good' | 'look' | 'bad' | 'new';
  /** A sentence without a full stop. */
  words: string;
}

/** The verdict on what stands at `now` (ms). While all is read for the first time, what was not reached yet is not stale. */
export function getOverallStatus(standing: Standing, now: number, isLoading: boolean): OverallStatus {
  const { packages, storage, needs, runs } = standing;
  const walked = packages.flatMap(({ walked_at: at }) => at ?? []).sort();
  const isRead = walked.length > 0 || storage.some(({ read_at: at }) => at !== null);
  const ofPackages = packageTrouble(standing, now, isLoading);
  const ofStorage = storageTrouble(standing, isLoading);
  if (!isRead && !isLoading && runs[0]?.status !== 'failed')
    return { level: 'new', words: 'Nothing has been read yet' };
  const isFirst = isLoading && walked.length < packages.length;
  const well = isFirst ? firstWords(walked.length, packages.length) : freshWords(packages.length);
  const newest = walked.at(-1);
  const isBad = ofPackages.length + ofStorage.length > 0;
  const words = [
    ...(ofPackages.length > 0 ? ofPackages : [well]),
    ...ofStorage,
    ...(newest === undefined || isFirst || packages.some((row) => row.stale)
      ? []
      : [`last full walk ${formatAgo(now - fromTimestamp(newest))}`]),
    ...(needs.length === 0 || isBad
      ? []
      : [`${formatCount(needs.length)} ${needs.length === 1 ? 'thing needs' : 'things need'} a person`]),
  ].join('; ');
  const level = isBad ? 'bad' : needs.length > 0 ? 'look' : isFirst ? 'new' : 'good';
  return { level, words: words.charAt(0).toUpperCase() + words.slice(1) };
}

/** Which are stale, and what failed; where no package failed, a run may have. */
function packageTrouble({ packages, runs }: Standing, now: number, isLoading: boolean): string[] {
  const stale = packages.filter((row) => row.stale && !(isLoading && row.walked_at === null));
  const failed = packages.filter((row) => row.last_walk === 'failed').length;
  const isFailed = failed + stale.length === 0 && runs[0]?.status === 'failed';
  return [
    ...(stale.length > 0 ? [staleWords(stale, packages.length, now)] : []),
    ...(failed > 0 ? [`the last walk of ${pluralize(failed, 'package')} failed`] : []),
    ...(isFailed ? ['the last run failed'] : []),
  ];
}

function storageTrouble({ storage }: Standing, isLoading: boolean): string[] {
  const stale = storage.filter((row) => row.stale && !(isLoading && row.read_at === null));
  return stale.length === 0 ? [] : [`storage of ${stale.map(({ account }) => account).join(', ')} is stale`];
}

function firstWords(walked: number, all: number): string {
  return `First load: ${formatCount(walked)} of ${pluralize(all, 'package')} read`;
}

function freshWords(packages: number): string {
  if (packages === 0) return 'No packages are configured';
  return packages === 1 ? 'The only package is fresh' : `All ${formatCount(packages)} packages fresh`;
}

function staleWords(stale: Standing['packages'], all: number, now: number): string {
  const read = stale.flatMap(({ walked_at: at }) => at ?? []).sort();
  const [oldest] = read;
  const never = stale.length - read.length;
  const which =
    all === 1
      ? 'the only package is stale'
      : `${formatCount(stale.length)} of ${pluralize(all, 'package')} ${stale.length === 1 ? 'is' : 'are'} stale`;
  return [
    which,
    ...(oldest === undefined ? [] : [`the oldest was last walked ${formatAgo(now - fromTimestamp(oldest))}`]),
    ...(never === 0 ? [] : [`${formatCount(never)} ${never === 1 ? 'was' : 'were'} never walked whole`]),
  ].join('; ');
}
