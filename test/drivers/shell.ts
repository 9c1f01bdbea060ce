/** The sqlite3 shell as a reader: its JSON output, in the common form of all drivers. */
import { isLosslessNumber, parse } from 'lossless-json';
import { startAsReader, watch, type Conversation } from './conversation.ts';
import type { Description, ForeignKey, Row, Rows } from './drivers.ts';

const END = '== end of the answer ==';

type Printed = Record<string, unknown>;
type Query = (sql: string) => Promise<Printed[]>;

/** Starts a shell that stays open; it understands the commands of reader.py. */
export function converseWithShell(path: string): Conversation {
  const child = startAsReader('/usr/bin/sqlite3', ['-batch', '-readonly', '-json', path]);
  const { complaint, ended } = watch(child);
  let output = '';
  let wake: () => void = () => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    wake();
  });
  void ended.then(() => wake());

  async function print(...lines: string[]): Promise<string> {
    output = '';
    child.stdin.write([...lines, `.print "${END}"`, ''].join('\n'));
    while (!output.includes(`${END}\n`)) {
      if (child.exitCode !== null) throw new Error(`sqlite3 ended: ${complaint()}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
    if (complaint() !== '') throw new Error(complaint());
    return output.slice(0, output.lastIndexOf(END));
  }

  const query = async (sql: string, ...setting: string[]) => {
    const text = await print(...setting, `${sql.replace(/;?\s*$/, '')};`);
    return text.trim() === '' ? [] : (parse(text) as Printed[]);
  };
  const commands: Record<string, (...args: string[]) => Promise<unknown>> = {
    describe: () => describe(() => print('.tables'), query),
    read: async (table) => toRows(await query(`select * from "${table}"`)),
    query: async (sql = '', ...parameters) =>
      toRows(await query(sql, '.parameter clear', ...parameters.map(setParameter))),
    open: () => print(`.open --readonly "${path}"`),
  };
  return {
    send: async <T>(name = '', ...args: string[]) => {
      const command = commands[name];
      if (!command) throw new Error(`the shell has no command ${name}`);
      return (await command(...args)) as T;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** The shell has no date type: a date is a text. */
function setParameter(parameter: string, index: number): string {
  const colon = parameter.indexOf(':');
  const value = parameter.slice(colon + 1);
  const isNumber = parameter.slice(0, colon) === 'integer';
  return `.parameter set ?${index + 1} ${isNumber ? value : `"'${value}'"`}`;
}

function toRows(printed: readonly Printed[]): Rows {
  const columns = Object.keys(printed[0] ?? {});
  return { columns, rows: printed.map((row) => Object.values(row).map(canonical)) };
}

/** A number with a point or an exponent is REAL. */
function canonical(value: unknown): Row[number] {
  if (!isLosslessNumber(value)) return value as string | null;
  return /[.e]/i.test(value.value) ? Number(value.value) : value.value;
}

async function describe(list: () => Promise<string>, query: Query): Promise<Description> {
  const names = (await list()).split(/\s+/).filter((name) => name !== '');
  const kinds = new Map(
    (await query('select name, type from sqlite_schema')).map((row) => [row['name'], row['type']]),
  );
  const description: Description = { tables: [], columns: [], foreignKeys: [] };
  for (const name of names) {
    description.tables.push([name, String(kinds.get(name))]);
    for (const column of await query(`pragma table_info("${name}")`))
      description.columns.push([name, String(column['name']), String(column['type']), null]);
    description.foreignKeys.push(...(await readForeignKeys(name, query)));
  }
  return description;
}

async function readForeignKeys(table: string, query: Query): Promise<ForeignKey[]> {
  const keys = new Map<string, ForeignKey>();
  for (const row of await query(`pragma foreign_key_list("${table}")`)) {
    const key: ForeignKey = keys.get(String(row['id'])) ?? [table, [], String(row['table']), []];
    key[1].push(String(row['from']));
    key[3].push(String(row['to']));
    keys.set(String(row['id']), key);
  }
  return [...keys.values()];
}
