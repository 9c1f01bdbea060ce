/** The items that need attention, with the place on the pages that shows more. Pure. */
import type { Item } from '../../health/items.ts';
import { packagePath, storagePath } from './paths.ts';

export interface AttentionItem extends Pick<
  Item,
  'severity' | 'message' | 'affects' | 'details' | 'advice' | 'since' | 'nextTry'
> {
  /** Unique on the page. */
  id: string;
  place: { text: string; href: string } | null;
}

export function listAttention(items: readonly Item[]): AttentionItem[] {
  return items.map((item): AttentionItem => {
    const { severity, message, affects, details, advice, since, nextTry, problem } = item;
    const { account, packageId, part } = problem.scope;
    const scope = [account, packageId, part].map((each) => encodeURIComponent(each ?? '')).join('-');
    const id = `about-${problem.of.kind}-${scope}`;
    return { id, severity, message, affects, details, advice, since, nextTry, place: findPlace(item) };
  });
}

const PLACES = {
  requests: { text: 'Requests', href: '#budgets' },
  runs: { text: 'Runs', href: '/runs' },
  targets: { text: 'Targets', href: '#targets' },
};

function findPlace({ problem: { of, scope }, isGroup }: Item): AttentionItem['place'] {
  const { account, packageId } = scope;
  const { place } = of;
  if (place === undefined) return null;
  if (place !== 'storage' && place !== 'package') return PLACES[place];
  if (account === null) return null;
  if (isGroup) return { text: 'Packages', href: '/packages' };
  if (packageId !== null) return { text: 'Package', href: packagePath({ account, package_id: packageId }) };
  return { text: 'Storage by day', href: storagePath({ account }) };
}
