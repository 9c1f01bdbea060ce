/** Compares every value of an account in the published file with the target. */
import { StringDecoder } from 'node:string_decoder';
import { ConfigError } from '../../../lib/errors.ts';
import { ofAccount } from '../source.ts';
import {
  compareRows,
  listDifferences,
  MAX_DIFFERENCES,
  readFileRows,
  toRowForm,
  type Row,
  type RowForm,
} from '../verify.ts';
import { planSchema } from './schema.ts';
import { begin, quoteName, quoteNames, quoteText, type Session } from './session.ts';
import { ofAccountThere, readState, toType, type Context } from './tables.ts';

/** As `Target.verify`. Throws ConfigError if another file was loaded, or its tables were changed. */
export async function verifyAccount(context: Context, account: string): Promise<string[]> {
  const { session, config, source } = context;
  await begin(session, config, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await planSchema(session, config);
  const state = await readState(session, account);
  if (state?.publicationId !== source.publicationId || state.shape !== source.shapeOf(account))
    throw new ConfigError(`the target has another state of account ${account} than the published file`, {
      hint: [{ command: 'publish' }, ' loads it; verify it after that'],
    });
  const found = await listDifferences(compareTables(context, account));
  if (found.length === MAX_DIFFERENCES) session.destroy(); // the rest is not read
  return found;
}

async function* compareTables({ session, source }: Context, account: string): AsyncGenerator<string> {
  for (const table of source.marts.ownedTables) {
    const form = toRowForm(table);
    const order = form.key.map((name) => `t."${name}"`);
    const ours = readFileRows(source.db, form, ofAccount(table, account), order);
    const names = table.columns.map(({ name }) => name);
    const isOurs = ofAccountThere(names, quoteText(account)); // COPY takes no parameters
    yield* compareRows(form, account, readTarget(session, form, isOurs), ours);
  }
}

/** The rows of an account in the target; `isOurs`: their condition. */
async function* readTarget(
  session: Session,
  { name, columns, key }: RowForm,
  isOurs: string,
): AsyncGenerator<Row, undefined> {
  const values = columns.map((column) => {
    const [quoted, type] = [quoteName(column.name), toType(column)];
    if (type === 'boolean') return `${quoted}::int`;
    return type === 'timestamp with time zone' ? `${quoted} AT TIME ZONE 'UTC'` : quoted;
  });
  const sql = `COPY (SELECT ${values.join(', ')} FROM ${session.name(name)}
WHERE ${isOurs} ORDER BY ${quoteNames(key)}) TO STDOUT`;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of session.copyOut(sql)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.split('\t').map(unescape);
  }
}

/** What COPY writes in place of the characters that would end a line or a value. */
const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unescape(value: string): string | null {
  if (!value.includes('\\')) return value;
  return value === '\\N'
    ? null
    : value.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
}
