/** The state of everything in one sentence: that of the worst item, where there is one. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, pluralize } from '../lib/format.ts';
import type { HealthFacts } from './facts.ts';
import type { Item } from './items.ts';
import { isNothingRead, isReadingAll } from './reading.ts';

export interface OverallStatus {
  /** `good`: nothing to do. `warn`: see to it. `bad`: stale or failed. `new`: nothing was read yet. */
  level: 'good' | 'warn' | 'bad' | 'new';
  /** A sentence without a full stop. */
  text: string;
}

type Facts = Pick<HealthFacts, 'packages' | 'runs' | 'streams' | 'failedRun' | 'hasFailures' | 'now'> & {
  items: readonly Item[];
};

/** What `status` and the page say before the first run. */
export const NOTHING_READ = 'Nothing was synced yet';

export function getOverallStatus(facts: Facts): OverallStatus {
  const [first, ...others] = facts.items;
  const [last] = facts.runs;
  const walked = facts.packages.flatMap(({ walked_at: at }) => at ?? []).sort();
  const isLoading = isReadingAll(last);
  if (!isLoading && isNothingRead(facts)) return { level: 'new', text: NOTHING_READ };
  if (first) {
    const more = others.length > 0 ? `; ${pluralize(others.length, 'more item')} below` : '';
    const affects = first.affects === null ? '' : ` (${first.affects})`;
    const level = first.severity === 'bad' ? 'bad' : 'warn';
    return { level, text: capitalize(`${first.message}${affects}${more}`) };
  }
  if (isLoading && walked.length < facts.packages.length) {
    const all = pluralize(facts.packages.length, 'package');
    return { level: 'new', text: `First load: ${formatCount(walked.length)} of ${all} read` };
  }
  const newest = walked.at(-1);
  const walkedAgo =
    newest === undefined ? '' : `; last full walk ${formatAgo(facts.now - fromTimestamp(newest))}`;
  return { level: 'good', text: `${formatFresh(facts.packages.length)}${walkedAgo}` };
}

function formatFresh(packages: number): string {
  if (packages === 0) return 'The storage is fresh';
  return packages === 1 ? 'The only package is fresh' : `All ${formatCount(packages)} packages fresh`;
}

/** Names of accounts and packages keep their case: they are names. */
function capitalize(text: string): string {
  return /^(?:account|storage|target|run|no|a|in|the|videos) /.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text;
}
