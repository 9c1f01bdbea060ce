/** Compares every value of an account in the published file with the target: two streams of lines, merged by their keys. */
import { StringDecoder } from 'node:string_decoder';
import { ConfigError } from '../../../lib/errors.ts';
import type { Column, Table } from '../../mart.ts';
import { listAccountTables, listVideoTables, ofAccount } from '../changes.ts';
import { toLine } from '../copy-lines.ts';
import type { Source } from '../source.ts';
import { readState, type Place } from './load.ts';
import { begin, NUL_REPLACEMENT, quoteName, quoteNames, type Session } from './session.ts';
import { toKey, toType } from './tables.ts';

/** How many differences are listed. */
const MAX_DIFFERENCES = 10;

/** As `Target.verify`. Throws ConfigError where the target was loaded from another file, and what pg throws. */
export async function verifyAccount(
  session: Session,
  { config, source }: Place,
  account: string,
): Promise<string[]> {
  await begin(session, config, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const state = await readState(session, account, false);
  if (state?.publicationId !== source.publicationId || state.shape !== source.shapeOf(account))
    throw new ConfigError(`the target has another state of account ${account} than the published file`, {
      hint: 'vodhouse publish loads it; verify it after that',
    });
  const found: string[] = [];
  for (const table of [...listVideoTables(source.marts), ...listAccountTables(source.marts)])
    for await (const difference of compareTable(session, source, account, table)) {
      found.push(difference);
      if (found.length < MAX_DIFFERENCES) continue;
      session.destroy(); // the rest is not read
      return found;
    }
  await session.execute('ROLLBACK');
  return found;
}

/** The rows of one key, each as a line of CSV; more than one only in a table without a primary key. */
interface Group {
  key: readonly string[];
  lines: readonly string[];
}

/** How the lines of a table are made: the columns of its key first, whose values have no quotes. */
interface Form {
  table: Table;
  columns: readonly Column[];
  /** The columns after the account that order the rows. */
  key: readonly string[];
}

function toForm(table: Table): Form {
  const full = toKey(table);
  const key = (full.length > 0 ? full : ['account', 'package_id', 'video_id']).filter(
    (name) => name !== 'account',
  );
  const first = key.flatMap((name) => table.columns.find((column) => column.name === name) ?? []);
  const others = table.columns.filter(({ name }) => !key.includes(name));
  return { table, key, columns: [...first, ...others] };
}

async function* compareTable(
  session: Session,
  source: Source,
  account: string,
  table: Table,
): AsyncGenerator<string> {
  const form = toForm(table);
  const theirs = toGroups(readTarget(session, form, account), form);
  const ours = toGroups(readFile(source, form, account), form);
  try {
    let [their, our] = [await next(theirs), await next(ours)];
    while (their !== null || our !== null) {
      const order = compareKeys(their?.key, our?.key);
      const name = `${table.name} ${describeKey(form, account, (order <= 0 ? their : our)?.key ?? [])}`;
      if (order < 0) yield `${name} is not in the file`;
      else if (order > 0) yield `${name} is missing in the target`;
      else yield* compareGroups(form, name, their?.lines ?? [], our?.lines ?? []);
      if (order <= 0) their = await next(theirs);
      if (order >= 0) our = await next(ours);
    }
  } finally {
    await Promise.all([theirs.return(null), ours.return(null)]);
  }
}

async function next(groups: AsyncGenerator<Group, null>): Promise<Group | null> {
  const result: IteratorResult<Group, null> = await groups.next();
  return result.value;
}

/** Joins the lines that have the same key. */
async function* toGroups(
  batches: AsyncIterable<string[]> | Iterable<string[]>,
  { key }: Form,
): AsyncGenerator<Group, null> {
  let group: { key: string[]; lines: string[] } | null = null;
  for await (const lines of batches)
    for (const line of lines) {
      const values = line.split(',', key.length);
      if (group?.key.every((value, index) => value === values[index])) {
        group.lines.push(line);
        continue;
      }
      if (group !== null) yield group;
      group = { key: values, lines: [line] };
    }
  if (group !== null) yield group;
  return null;
}

/** Negative: the first one comes first. Without a key, there are no more rows. Keys are numbers, or days and times as text. */
function compareKeys(one: readonly string[] | undefined, other: readonly string[] | undefined): number {
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? '';
    if (value === against) continue;
    const isNumber = /^-?\d+$/.test(value) && /^-?\d+$/.test(against);
    return (isNumber ? BigInt(value) < BigInt(against) : value < against) ? -1 : 1;
  }
  return 0;
}

/** `main/101, 5`, or `main, 2026-03-01`. */
function describeKey({ key }: Form, account: string, values: readonly string[]): string {
  const [first = '', ...others] = values;
  return key[0] === 'package_id'
    ? [`${account}/${first}`, ...others].join(', ')
    : [account, ...values].join(', ');
}

function* compareGroups(
  form: Form,
  name: string,
  theirs: readonly string[],
  ours: readonly string[],
): Generator<string> {
  if (theirs.length === 1 && ours.length === 1) {
    yield* compareLines(form, name, theirs[0] ?? '', ours[0] ?? '');
    return;
  }
  const [their, our] = [[...theirs].sort(), [...ours].sort()];
  if (their.join('\n') === our.join('\n')) return;
  yield `${name} has ${describeLines(form, their)} in the target, ${describeLines(form, our)} in the file`;
}

const describeLines = ({ key, columns }: Form, lines: readonly string[]) =>
  `(${lines
    .map((line) => splitLine(line, columns.length).slice(key.length).map(quote).join(' '))
    .join('; ')
    .slice(0, 200)})`;

/** One sentence for each column that differs. */
function* compareLines({ columns }: Form, name: string, theirs: string, ours: string): Generator<string> {
  if (theirs === ours) return;
  const [their, our] = [splitLine(theirs, columns.length), splitLine(ours, columns.length)];
  for (const [index, column] of columns.entries()) {
    const [one = null, other = null] = [their[index], our[index]];
    const isEqual =
      one === other ||
      (column.type === 'REAL' && one !== null && other !== null && Number(one) === Number(other));
    if (!isEqual) yield `${name}: ${column.name} is ${quote(one)} in the target, ${quote(other)} in the file`;
  }
}

/** In one line, at most 60 characters of it. */
function quote(value: string | null): string {
  if (value === null) return 'NULL';
  const text = JSON.stringify(value).slice(1, -1);
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

/** The values of a line of CSV; null is an empty one without quotes. */
function splitLine(line: string, count: number): (string | null)[] {
  const values: (string | null)[] = [];
  for (const [, quoted, plain = ''] of line.matchAll(/(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(?:,|$)/g))
    values.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
  return values.slice(0, count);
}

/** The rows of the account in the target, in the order of their key, in batches. */
function readTarget(
  session: Session,
  { table, columns, key }: Form,
  account: string,
): AsyncGenerator<string[]> {
  const texts = columns.flatMap(({ name, ...column }) => (toType(column) === 'text' ? [name] : []));
  const sql = `COPY (SELECT ${columns.map(toPlain).join(', ')} FROM ${session.name(table.name)}
WHERE account = '${account.replaceAll("'", "''")}' ORDER BY ${quoteNames(['account', ...key])}) TO STDOUT
WITH (FORMAT csv, FORCE_QUOTE (${quoteNames(texts)}))`;
  return splitLines(session.copyOut(sql));
}

/** The expression for the text that the published file has in most cases: other texts of a REAL are compared as numbers. */
function toPlain({ name, ...column }: Column): string {
  const quoted = quoteName(name);
  const expressions: Record<string, string> = {
    boolean: `${quoted}::int`,
    'timestamp with time zone': `${quoted} AT TIME ZONE 'UTC'`,
    'double precision': `CASE WHEN ${quoted} = trunc(${quoted}) AND abs(${quoted}) < 1e15 THEN ${quoted}::bigint || '.0' ELSE ${quoted}::text END`,
  };
  return `${expressions[toType(column)] ?? quoted} AS ${quoted}`;
}

/** Splits CSV at the line ends that are not within quotes. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.write(chunk);
    const lines: string[] = [];
    let [start, isQuoted, quoteAt] = [0, false, text.indexOf('"')];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
      for (; quoteAt >= 0 && quoteAt < end; quoteAt = text.indexOf('"', quoteAt + 1)) isQuoted = !isQuoted;
      if (isQuoted) continue;
      lines.push(text.slice(start, end));
      start = end + 1;
    }
    rest = text.slice(start);
    yield lines;
  }
}

/** Lines of one batch of the published file. */
const BATCH = 500;

/** The rows of the account in the published file, in the same order, in batches. Its keys of packages sort as text: one by one. */
function* readFile({ db }: Source, { table, columns, key }: Form, account: string): Generator<string[]> {
  const isOfPackage = key[0] === 'package_id';
  const where = isOfPackage ? 't.package_key = :packageKey' : ofAccount(table, account).where;
  const order = (isOfPackage ? ['package_key', ...key.slice(1)] : key).map((name) => `t."${name}"`);
  const read = db
    .prepare(`select ${toLine(columns)} from ${table.name} t where ${where} order by ${order.join(', ')}`)
    .pluck();
  const parameters = isOfPackage
    ? (db
        .prepare('select package_key as packageKey from packages where account = ? order by package_id')
        .all(account) as object[])
    : [{ account }];
  for (const each of parameters) {
    let lines: string[] = [];
    for (const line of read.iterate(each) as IterableIterator<string>) {
      lines.push(line.slice(0, -1).replaceAll('\0', NUL_REPLACEMENT));
      if (lines.length < BATCH) continue;
      yield lines;
      lines = [];
    }
    yield lines;
  }
}
