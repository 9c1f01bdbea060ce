/**
 * Compares the warehouse with a service that does not change, and finds what no request could ever reveal.
 */
import { videoRecord as documented } from '../../../src/service/videos.ts';
import { getEffectiveSize, type Fields, type ListedPackage } from './listed-package.ts';
import type { WalkCase } from './walk-case.ts';

type Row = Record<string, unknown> & { id: number; removed_at: string | null; extra: string | null };

const NAMES = Object.keys(documented.shape);

/** The differences between the warehouse and the service's current list, as texts. */
export function differences(one: WalkCase): string[] {
  const { listed } = one;
  const stored = readStored(one);
  const unseen = leftOut(one);
  const cannotSettle = unsettled(one);
  const wrong = listed
    .ids()
    .filter((id) => id !== unseen)
    .flatMap((id) => findDifferences(stored, listed, id));
  const left = [...stored.rows.values()]
    .filter((row) => row.removed_at === null && listed.record(row.id) === undefined && !cannotSettle(row.id))
    .map((row) => `${row.id} is gone, and is a live row`);
  return [...wrong, ...left].map((text) => `F: ${text}`);
}

/** The rows of a package in the file. */
export interface Stored {
  rows: ReadonlyMap<number, Row>;
  inQuarantine: ReadonlySet<number>;
}

export function readStored({ pipeline }: WalkCase): Stored {
  const rows = pipeline.query<Row>('select * from video');
  const open = pipeline.query<{ record_id: string }>(
    'select record_id from quarantine where resolved_at is null',
  );
  return {
    rows: new Map(rows.map((row) => [row.id, row])),
    inQuarantine: new Set(open.map((row) => Number(row.record_id))),
  };
}

/** The difference between a stored video and its listed record, as text. */
export function findDifferences({ rows, inQuarantine }: Stored, listed: ListedPackage, id: number): string[] {
  const row = rows.get(id);
  const record = JSON.parse(JSON.stringify(listed.record(id))) as Fields;
  if (row && row.removed_at !== null) return [`${id} is listed, and is marked removed at ${row.removed_at}`];
  if (!Number.isSafeInteger(record['duration'])) {
    return inQuarantine.has(id) ? [] : [`${id} cannot be stored, and is not in quarantine`];
  }
  if (inQuarantine.has(id)) return [`${id} came well, and is in quarantine still`];
  return row ? findFieldDifferences(row, record) : [`${id} is listed, and is no row`];
}

function findFieldDifferences(row: Row, record: Fields): string[] {
  const extra = Object.entries(record).filter(([name]) => !NAMES.includes(name));
  const expected: Fields = {
    ...record,
    extra: extra.length === 0 ? null : JSON.stringify(Object.fromEntries(extra)),
  };
  return [...NAMES, 'extra']
    .filter((name) => row[name] !== expected[name])
    .map((name) => `${row.id}: ${name} is ${show(row[name])} instead of ${show(expected[name])}`);
}

const show = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value));

/** The record that no page shows, because the count is too small by one and omits its page. */
function leftOut({ setup, listed }: WalkCase): number | undefined {
  const ids = listed.ids();
  const size = getEffectiveSize(listed.behaviour, setup.pageSize);
  const isAlone = listed.behaviour.count === -1 && ids.length > 1 && (ids.length - 1) % size === 0;
  return isAlone ? ids.at(-1) : undefined;
}

/**
 * Ids between two pages that no boundary read can decide: where the list ends, or splits, between the same
 * two records for any page size up to the effective one, and from whichever end the service counts.
 */
function unsettled(one: WalkCase): (id: number) => boolean {
  const { listed } = one;
  const ids = listed.ids();
  const { direction, size } = listed.behaviour;
  const most = getEffectiveSize(listed.behaviour, one.setup.pageSize);
  const { count } = listed.behaviour;
  // without a count, only the top shows the end; with a count that is too high by one, no page is short
  // enough
  const isEndHidden = count === 1 || leftOut(one) !== undefined;
  const hidden = leftOut(one) === undefined ? 0 : 1; // pages from the top are counted without it
  if (count === 1 && ids.length === 0) return () => true; // an empty list with a count of one
  const sizes = size.kind === 'fixed' ? [most] : Array.from({ length: most - 1 }, (_, less) => most - less);
  return (id) => {
    const below = ids.filter((other) => other < id).length;
    const above = ids.length - below;
    const isAtEnd = below === 0 || (above === 0 && direction.honoured);
    const isInside = (rank: number) => sizes.some((each) => rank % each !== 0);
    const isSeen = isInside(below) && !(above === 0 && isEndHidden);
    return !isAtEnd && !isSeen && !(direction.honoured && isInside(above - hidden));
  };
}

/** The number of boundaries between pages. */
export function boundaries({ listed, setup }: WalkCase): number {
  return Math.ceil(listed.ids().length / getEffectiveSize(listed.behaviour, setup.pageSize));
}
