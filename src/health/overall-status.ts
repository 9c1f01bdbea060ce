/** The state of everything in a few sentences: that of the worst item, where there is one. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, pluralize } from '../lib/format.ts';
import type { HealthFacts } from './facts.ts';
import type { Item } from './items.ts';
import { isNothingRead, isReadingAll } from './reading.ts';

export interface OverallStatus {
  /** `failing` where something is stale or has failed; `new` where nothing was read yet. */
  level: 'well' | 'attention' | 'failing' | 'new';
  /** The level in words for people. */
  word: string;
  /** What there is to know first, a sentence without a full stop. */
  text: string;
  /** What still works, and how many more items there are; empty where there is nothing to add. */
  more: string;
}

type Facts = Pick<HealthFacts, 'packages' | 'runs' | 'streams' | 'failedRun' | 'hasFailures' | 'now'> & {
  items: readonly Item[];
};

const WORDS = { well: 'All well', attention: 'Attention', failing: 'Failing' };

export function getOverallStatus(facts: Facts): OverallStatus {
  const [first, ...others] = facts.items;
  const [last] = facts.runs;
  const isLoading = isReadingAll(last);
  if (first) {
    const isNamed = first.since === null || first.message.includes(first.since);
    const since = isNamed ? '' : ` (since ${first.since} UTC)`;
    const below = others.length > 0 ? `; ${pluralize(others.length, 'more item')} below` : '';
    const level = first.severity === 'page' ? 'failing' : 'attention';
    const more = `${describeFresh(facts)}${below}`;
    return { level, word: WORDS[level], text: `${first.message}${since}`, more };
  }
  if (!isLoading && isNothingRead(facts))
    return { level: 'new', word: 'Empty', text: 'Nothing was synced yet', more: '' };
  const walked = facts.packages.flatMap(({ walked_at: at }) => at ?? []).sort();
  if (isLoading && walked.length < facts.packages.length) {
    const all = pluralize(facts.packages.length, 'package');
    const text = `The first load has read ${formatCount(walked.length)} of ${all}`;
    return { level: 'new', word: 'Loading', text, more: '' };
  }
  const newest = walked.at(-1);
  const walkedAgo =
    newest === undefined ? '' : `; last full walk ${formatAgo(facts.now - fromTimestamp(newest))}`;
  return { level: 'well', word: WORDS.well, text: `${describeFresh(facts)}${walkedAgo}`, more: '' };
}

/** `22 of 30 packages are fresh`. */
function describeFresh({ packages, streams }: Facts): string {
  const stale = packages.filter((row) => row.stale).length;
  if (packages.length === 0)
    return `The storage is ${streams.some(({ isStale }) => isStale) ? 'stale' : 'fresh'}`;
  if (stale > 0)
    return `${formatCount(packages.length - stale)} of ${formatCount(packages.length)} packages are fresh`;
  return packages.length === 1
    ? 'The only package is fresh'
    : `All ${formatCount(packages.length)} packages are fresh`;
}
