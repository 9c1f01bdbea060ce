/** What of a package needs a person; of very many packages in one line. */
import { formatCount } from '../lib/format.ts';
import type { Need } from './problems.ts';
import type { PackageReport } from './report.ts';

const MANY_WORDS = {
  unwalked: 'were never walked whole',
  stale: 'are stale',
  failed: 'failed when they were last walked',
  partial: 'were not read whole by their last walk',
  untrusted: 'are not listed in order of ids',
} as const;

/** A need of a package that others may have too. */
interface PackageNeed extends Need {
  kind: keyof typeof MANY_WORDS;
  account: string;
}

/** A need that its words say all of. */
export function only(words: string): Need {
  return { words, details: [], advice: [] };
}

/** The needs of one package; `walkCommand` walks it. */
export function packageNeeds(row: PackageReport, walkCommand: string): PackageNeed[] {
  const { account, last_walk: walk } = row;
  const name = `${account}/${row.package_id}`;
  const need = (kind: PackageNeed['kind'], words: string): PackageNeed => ({ ...only(words), kind, account });
  const needs: PackageNeed[] = [];
  if (row.walked_at === null) {
    needs.push({ ...need('unwalked', `${name} was never walked whole: ${walkCommand}`), isFirstRead: true });
  } else if (row.stale)
    needs.push(need('stale', `${name} is stale: last walked whole at ${row.walked_at} UTC`));
  if (walk === 'failed' || walk === 'partial') {
    const how = walk === 'failed' ? 'failed' : 'was not whole';
    needs.push(need(walk, `${name}: the last walk ${how}: ${row.last_error ?? ''}`));
  }
  if (isOutOfOrder(row)) {
    const words = 'is not listed in order of ids: its videos are stored, its removals wait for proof';
    needs.push(need('untrusted', `${name} ${words}`));
  }
  return needs;
}

/** Not sorted by id, and on more than one page: on one, removals are proved by the whole list, whatever its order. */
export function isOutOfOrder({ order, pages }: Pick<PackageReport, 'order' | 'pages'>): boolean {
  const isOnOnePage = pages !== null && pages <= 1;
  return order === 'untrusted' && !isOnOnePage;
}

/** More packages of an account than this with the same need are told of in one. */
const MOST = 10;
const EXAMPLES = 3;

/** The needs, where very many packages share one with that one in their place: else they would hide all others. */
export function manyAsOne(needs: readonly (Need | PackageNeed)[]): Need[] {
  const groups = new Map<string, PackageNeed[]>();
  for (const need of needs) {
    if ('kind' in need) groups.set(keyOf(need), [...(groups.get(keyOf(need)) ?? []), need]);
  }
  return needs.flatMap((need) => {
    const group = 'kind' in need ? (groups.get(keyOf(need)) ?? []) : [];
    if (group.length <= MOST) return [need];
    return need === group[0] ? [asOne(group, group[0])] : [];
  });
}

function keyOf({ account, kind }: PackageNeed): string {
  return `${kind} ${account}`;
}

function asOne(group: readonly PackageNeed[], { kind, account, isFirstRead }: PackageNeed): Need {
  const examples = group.slice(0, EXAMPLES).map(({ words }) => words);
  return {
    words: `${formatCount(group.length)} packages of ${account} ${MANY_WORDS[kind]}`,
    details: [...examples, `and ${formatCount(group.length - EXAMPLES)} more`],
    advice: [],
    ...(isFirstRead ? { isFirstRead } : {}),
  };
}
