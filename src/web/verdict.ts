/** How things stand, in one sentence. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { ago, count, counted } from '../lib/words.ts';
import type { Standing } from '../standing/report.ts';

export interface Verdict {
  /** `good`: nothing to do. `look`: something needs a person. `bad`: something is stale or failed. `new`: nothing was read yet. */
  level: 'good' | 'look' | 'bad' | 'new';
  /** A sentence without a full stop. */
  words: string;
}

/** The verdict on what stands at `now` (ms); what was never read is not stale while a run is under way. */
export function verdictOf(
  { packages, storage, needs, runs }: Standing,
  now: number,
  isUnderWay: boolean,
): Verdict {
  const walked = packages.flatMap(({ walked_at: at }) => at ?? []).sort();
  const newest = walked.at(-1);
  const isNew = newest === undefined && !storage.some(({ read_at: at }) => at !== null);
  if (isNew && !isUnderWay && runs[0]?.status !== 'failed')
    return { level: 'new', words: 'Nothing has been read yet' };
  const since = (at: string) => ago(Math.max(0, now - fromTimestamp(at)));
  const stale = packages.filter((row) => row.stale && !(isUnderWay && row.walked_at === null));
  const staleStorage = storage.filter((row) => row.stale && !(isUnderWay && row.read_at === null));
  if (stale.length + staleStorage.length > 0) {
    const words = stale.length > 0 ? staleWords(stale, packages.length, since) : freshWords(packages.length);
    return { level: 'bad', words: [words, ...staleStorageWords(staleStorage)].join('; ') };
  }
  if (isUnderWay && walked.length < packages.length)
    return { level: 'new', words: firstWords(walked.length, packages.length) };
  const last = newest === undefined ? [] : [`last full walk ${since(newest)}`];
  const words = [freshWords(packages.length), ...last];
  if (needs.length === 0) return { level: 'good', words: words.join('; ') };
  const level =
    runs[0]?.status === 'failed' || packages.some((row) => row.last_walk === 'failed') ? 'bad' : 'look';
  const wanted = `${count(needs.length)} ${needs.length === 1 ? 'thing needs' : 'things need'} a person`;
  return { level, words: [...words, wanted].join('; ') };
}

function firstWords(walked: number, all: number): string {
  return `First load: ${count(walked)} of ${counted(all, 'package')} read`;
}

function freshWords(packages: number): string {
  if (packages === 0) return 'No packages are configured';
  return packages === 1 ? 'The only package is fresh' : `All ${count(packages)} packages fresh`;
}

function staleWords(stale: Standing['packages'], all: number, since: (at: string) => string): string {
  const read = stale.flatMap(({ walked_at: at }) => at ?? []).sort();
  const oldest = read[0];
  const [longest, never] = [
    oldest === undefined ? [] : [`the oldest was last walked ${since(oldest)}`],
    stale.length - read.length,
  ];
  const unread = never > 0 ? [`${count(never)} ${never === 1 ? 'was' : 'were'} never walked whole`] : [];
  const which =
    all === 1
      ? 'The only package is stale'
      : `${count(stale.length)} of ${counted(all, 'package')} ${stale.length === 1 ? 'is' : 'are'} stale`;
  return [which, ...longest, ...unread].join('; ');
}

function staleStorageWords(stale: Standing['storage']): string[] {
  return stale.length === 0 ? [] : [`storage of ${stale.map(({ account }) => account).join(', ')} is stale`];
}
