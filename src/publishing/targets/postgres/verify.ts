/** Compares every value of an account in the published file with the target: two streams of lines, merged by their keys. */
import { StringDecoder } from 'node:string_decoder';
import { ConfigError } from '../../../lib/errors.ts';
import type { Column, Table } from '../../mart.ts';
import { listAccountTables, listVideoTables, ofAccount } from '../changes.ts';
import type { Source } from '../source.ts';
import { begin, NUL_REPLACEMENT, quoteName, quoteNames, quoteText, type Session } from './session.ts';
import { readState, type Context } from './state.ts';
import { toKey, toType } from './tables.ts';

/** How many differences are listed. */
const MAX_DIFFERENCES = 10;

/** As `Target.verify`. Throws ConfigError where the target was loaded from another file, and what pg throws. */
export async function verifyAccount(
  { session, config, source }: Context,
  account: string,
): Promise<string[]> {
  await begin(session, config, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const state = await readState(session, account);
  if (state?.publicationId !== source.publicationId || state.shape !== source.shapeOf(account))
    throw new ConfigError(`the target has another state of account ${account} than the published file`, {
      hint: 'vodhouse publish loads it; verify it after that',
    });
  const found: string[] = [];
  for (const table of [...listVideoTables(source.marts), ...listAccountTables(source.marts)])
    for await (const difference of compareTable(session, source, account, toForm(table))) {
      if (found.push(difference) < MAX_DIFFERENCES) continue;
      session.destroy(); // the rest is not read
      return found;
    }
  return found;
}

/** How the lines of a table are made: those of COPY, with the columns of the key first. */
interface Form {
  table: Table;
  columns: readonly Column[];
  /** The columns that order the rows. */
  key: readonly string[];
}

function toForm(table: Table): Form {
  const full = toKey(table);
  const key = full.length > 0 ? full : ['video_key'];
  const first = key.flatMap((name) => table.columns.find((column) => column.name === name) ?? []);
  const others = table.columns.filter(({ name }) => !key.includes(name));
  return { table, key, columns: [...first, ...others] };
}

/** The rows of one key; more than one only in a table without a primary key. */
interface Group {
  key: readonly string[];
  lines: string[];
}

async function* compareTable(
  session: Session,
  source: Source,
  account: string,
  form: Form,
): AsyncGenerator<string> {
  const theirs = toGroups(readTarget(session, form, account), form);
  const ours = toGroups(readFile(source, form, account), form);
  const next = async (groups: typeof ours) => (await groups.next()).value ?? null;
  try {
    let [their, our] = [await next(theirs), await next(ours)];
    while (their !== null || our !== null) {
      const order = compareKeys(their?.key, our?.key);
      const name = `${form.table.name} ${((order <= 0 ? their : our)?.key ?? []).join(', ')}`;
      if (order < 0) yield `${name} is not in the file`;
      else if (order > 0) yield `${name} is missing in the target`;
      else yield* compareGroups(form, name, their?.lines ?? [], our?.lines ?? []);
      if (order <= 0) their = await next(theirs);
      if (order >= 0) our = await next(ours);
    }
  } finally {
    await ours.return(undefined); // its statement blocks the file
  }
}

/** Joins the lines that have the same key. */
async function* toGroups(
  lines: AsyncIterable<string> | Iterable<string>,
  { key }: Form,
): AsyncGenerator<Group, undefined> {
  let group: Group | null = null;
  for await (const line of lines) {
    const values = line.split('\t', key.length);
    if (group?.key.every((value, index) => value === values[index])) {
      group.lines.push(line);
      continue;
    }
    if (group !== null) yield group;
    group = { key: values, lines: [line] };
  }
  if (group !== null) yield group;
}

/** Negative: the first one comes first. Without a key, there are no more rows. Keys are numbers, days and times. */
function compareKeys(one: readonly string[] | undefined, other: readonly string[] | undefined): number {
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  const index = one.findIndex((value, at) => value !== other[at]);
  const [value = '', against = ''] = index < 0 ? [] : [one[index], other[index]];
  return Number(value) - Number(against) || (value < against ? -1 : Number(value > against));
}

/** One sentence for each column that differs. */
function* compareGroups(
  { key, columns }: Form,
  name: string,
  theirs: string[],
  ours: string[],
): Generator<string> {
  if (theirs.sort().join('\n') === ours.sort().join('\n')) return;
  if (theirs.length > 1 || ours.length > 1) {
    const list = (lines: readonly string[]) =>
      lines
        .map((line) => line.split('\t').slice(key.length).map(show).join(' '))
        .join('; ')
        .slice(0, 200);
    yield `${name} has (${list(theirs)}) in the target, (${list(ours)}) in the file`;
    return;
  }
  const [their, our] = [theirs.join().split('\t'), ours.join().split('\t')];
  for (const [index, column] of columns.entries()) {
    const [one = '', other = ''] = [their[index], our[index]];
    const isEqual = one === other || (column.type === 'REAL' && Number(one) === Number(other));
    if (!isEqual) yield `${name}: ${column.name} is ${show(one)} in the target, ${show(other)} in the file`;
  }
}

const NULL = '\\N';

/** At most 60 characters of a value, as COPY writes it; no terminal obeys it. */
function show(value: string): string {
  if (value === NULL) return 'NULL';
  const text = value.replaceAll(/\p{Cc}/gu, '?');
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

/** The lines of the account in the target, in the order of their key. */
async function* readTarget(
  session: Session,
  { table, columns, key }: Form,
  account: string,
): AsyncGenerator<string> {
  const values = columns.map((column) => {
    const [quoted, type] = [quoteName(column.name), toType(column)];
    if (type === 'boolean') return `${quoted}::int`;
    return type === 'timestamp with time zone' ? `${quoted} AT TIME ZONE 'UTC'` : quoted;
  });
  const sql = `COPY (SELECT ${values.join(', ')} FROM ${session.name(table.name)}
WHERE account = ${quoteText(account)} ORDER BY ${quoteNames(key)}) TO STDOUT`;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of session.copyOut(sql)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** The same lines of the published file. */
function* readFile({ db }: Source, { table, columns, key }: Form, account: string): Generator<string> {
  const { where, parameters } = ofAccount(table, account);
  const list = (names: readonly string[]) => names.map((name) => `t."${name}"`).join(', ');
  const values = list(columns.map(({ name }) => name));
  const rows = db
    .prepare(`select ${values} from "${table.name}" t where ${where} order by ${list(key)}`)
    .safeIntegers()
    .raw()
    .iterate(parameters) as IterableIterator<Value[]>;
  for (const row of rows) yield row.map(toText).join('\t');
}

type Value = string | bigint | number | null;

/** What COPY writes in place of the characters that would end a line or a value. */
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\' },
  '\0': NUL_REPLACEMENT,
};

/** A value as COPY writes it. */
const toText = (value: Value): string =>
  value === null
    ? NULL
    : String(value).replaceAll(/[\0\b\f\n\r\t\v\\]/g, (character) => ESCAPES[character] ?? '');
