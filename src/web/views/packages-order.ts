/** The order of the packages. Pure. */
import { PACKAGE_PROBLEM_KINDS } from '../../health/problem-kinds.ts';
import type { PackageTotals } from '../../queries/named/packages.ts';
import type { PackageState } from './status-view.ts';

/** A package of the list. */
export interface PackageListRow extends PackageState {
  /** Null: not added up yet. */
  totals: PackageTotals | null;
  /** Videos added less those removed today; null until the day of its first full walk is over. */
  change: number | null;
  /** Orders packages by their last change; 0: none. */
  changed_seq: number;
  /** Records in quarantine. */
  quarantined: number;
}

/** What the packages can be sorted by. */
export const SORTS = ['state', 'name', 'videos', 'change', 'hours', 'size', 'changed', 'walked'] as const;
export type PackageSort = (typeof SORTS)[number];

const collator = new Intl.Collator('en', { numeric: true });

const compareTexts = (one: string, other: string) => collator.compare(one, other);
const getName = ({ name, account, package_id: id }: PackageListRow) => name ?? `${account}/${id}`;

/** Higher: more severe. */
function getSeverity({ problem }: PackageListRow): number {
  return problem ? PACKAGE_PROBLEM_KINDS.length - PACKAGE_PROBLEM_KINDS.indexOf(problem.kind) : 0;
}

const VALUES: Record<Exclude<PackageSort, 'name'>, (row: PackageListRow) => number | string | null> = {
  state: getSeverity,
  videos: ({ videos }) => videos,
  change: ({ change }) => change,
  hours: ({ totals }) => totals?.duration ?? null,
  size: ({ totals }) => totals?.size_bytes ?? null,
  changed: ({ changed_seq: seq }) => (seq === 0 ? null : seq),
  walked: ({ walked_at: at }) => at,
};

/** Unknown values come last in both directions; equal ones keep the order of the config. */
export function compareRows({ sort, direction }: { sort: PackageSort; direction: 'asc' | 'desc' }) {
  const sign = direction === 'asc' ? 1 : -1;
  if (sort === 'name') {
    return (one: PackageListRow, other: PackageListRow) => sign * compareTexts(getName(one), getName(other));
  }
  const getValue = VALUES[sort];
  return (one: PackageListRow, other: PackageListRow): number => {
    const [first, second] = [getValue(one), getValue(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (first === second) return 0;
    return first < second ? -sign : sign;
  };
}
