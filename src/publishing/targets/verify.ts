/** Compares rows of the published file with those of a target: two streams, in the order of a key. */
import type { Database } from '../../database/sqlite.ts';
import { truncate } from '../../lib/format.ts';
import type { Column, Table } from '../marts/mart.ts';
import type { Rows } from './source.ts';

/** How many differences are listed. */
export const MAX_DIFFERENCES = 10;
/** The limit of rows that wait for the one of the same key. */
const MAX_WAITING = 10_000;

/** The columns of a row that are compared, those of the key first. The account is left out. */
export interface RowForm {
  name: string;
  key: readonly string[];
  columns: readonly Column[];
}

export function toRowForm({ name, columns, key }: Table): RowForm {
  const own = key.filter((column) => column !== 'account');
  const first = own.flatMap((column) => columns.filter((each) => each.name === column));
  const others = columns.filter((column) => column.name !== 'account' && !own.includes(column.name));
  return { name, key: own, columns: [...first, ...others] };
}

/** The first ten differences. */
export async function listDifferences(found: AsyncIterable<string>): Promise<string[]> {
  const listed: string[] = [];
  for await (const difference of found) if (listed.push(difference) === MAX_DIFFERENCES) break;
  return listed;
}

export type Value = string | bigint | number | boolean | null | undefined;
export type Row = readonly Value[];

/**
 * A sentence for each row or value that differs. The streams need not have exactly the same order: a row
 * waits for the one of the same key. What waits at the end is in one of them only.
 */
export async function* compareRows(
  form: RowForm,
  account: string,
  target: AsyncIterator<Row, undefined>,
  file: Iterator<Row, undefined>,
): AsyncGenerator<string> {
  const [extra, missing] = [new Map<string, Row>(), new Map<string, Row>()];
  const hasAccount = form.key.some((name) => name.endsWith('_key')); // such a key begins with the account
  const prefix = hasAccount ? '' : `${account}, `;
  const toKey = (row: Row) => `${form.name} ${prefix}${row.slice(0, form.key.length).map(toText).join(', ')}`;
  try {
    let [their, our]: (Row | undefined)[] = [[], []];
    while ((their ?? our) && Math.max(extra.size, missing.size) < MAX_WAITING) {
      [their, our] = [(await target.next()).value, file.next().value];
      if (their && our && isSame(their, our)) continue;
      if (their) extra.set(toKey(their), their);
      if (our) missing.set(toKey(our), our);
      for (const key of [their, our].map((row) => toKey(row ?? []))) {
        const [one, other] = [extra.get(key), missing.get(key)];
        if (!one || !other) continue;
        for (const difference of compareValues(form, one, other)) yield `${key}: ${difference}`;
        extra.delete(key);
        missing.delete(key);
      }
    }
    if (!their) for (const key of missing.keys()) yield `${key} is missing in the target`;
    if (!our) for (const key of extra.keys()) yield `${key} is not in the file`;
    if (their && our)
      yield (
        `${form.name} of ${account}: ${MAX_WAITING} rows and more are in the target only, ` +
        'and as many in the file'
      );
  } finally {
    file.return?.(); // ends its statement, which would block other statements of the connection
  }
}

/** Most values are identical; a number or a time may come as text. */
const isEqual = (one: Value, other: Value): boolean => one === other || toText(one) === toText(other);

function isSame(one: Row, other: Row): boolean {
  for (let index = 0; index < one.length; index++) if (!isEqual(one[index], other[index])) return false;
  return true;
}

function* compareValues({ columns }: RowForm, theirs: Row, ours: Row): Generator<string> {
  for (const [index, { name, type }] of columns.entries()) {
    const [one, other] = [theirs[index], ours[index]];
    if (isEqual(one, other) || (type === 'REAL' && Number(one ?? NaN) === Number(other ?? NaN))) continue;
    yield `${name} is ${show(one)} in the target, ${show(other)} in the file`;
  }
}

/** The text of a value; undefined for null, and for a value that a row lacks. */
const toText = (value: Value): string | undefined =>
  typeof value === 'boolean' ? `${Number(value)}` : value?.toString();

/** Columns of a terminal that a value in a difference may take. */
const MOST_COLUMNS = 60;

function show(value: Value): string {
  const text = toText(value);
  return text === undefined ? 'NULL' : `'${truncate(text, MOST_COLUMNS)}'`;
}

/** The rows of the published file. `order`: expressions over the alias `t`. */
export function* readFileRows(
  db: Database,
  { name, columns }: RowForm,
  { where, parameters }: Rows,
  order: readonly string[],
): Generator<Row, undefined> {
  const values = columns.map((column) => `t."${column.name}"`).join(', ');
  const select = `select ${values} from "${name}" t where ${where} order by ${order.join(', ')}`;
  const rows = db.prepare(select).safeIntegers().raw().iterate(parameters) as IterableIterator<Row>;
  yield* rows;
}
