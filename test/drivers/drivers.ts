/** The tested drivers: each reads a file in a process of a user who may not write. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { converse, type Conversation } from './conversation.ts';

/** A row in one form for all drivers: integers and flags as decimal strings, REAL as numbers, the rest as text. */
export type Row = (string | number | null)[];

export interface Rows {
  columns: string[];
  rows: Row[];
}

export interface Description {
  tables: [name: string, kind: string][];
  /** The fourth is a further type of the driver: its number, or the type of a result. */
  columns: [table: string, column: string, type: string, more: string | number | null][];
}

/** A parameter, bound as the named type. */
export type Parameter = { text: string } | { integer: number } | { date: string } | { timestamp: string };

/** A connection to one file. */
export interface Reader {
  describe(): Promise<Description>;
  /** All rows of a table or view, with the column types of the driver. */
  read(table: string): Promise<Rows>;
  /** Each `?` of the statement is one parameter. */
  query(sql: string, ...parameters: Parameter[]): Promise<Rows>;
  /** Closes the connection and opens the file again. */
  reopen(): Promise<void>;
  /** A command that only this driver's script has. */
  send: <T>(...args: string[]) => Promise<T>;
  close: () => Promise<void>;
}

export interface Driver {
  name: string;
  /** Opens the file; `scripts` is a folder with the files of this one, `options` replace the recommended ones. */
  open(path: string, scripts: string, options?: string): Reader;
  /** How a day is bound, for `day between ? and ?`, and for `day_at >= ? and day_at < ?`. */
  day: (day: string) => Parameter;
  moment: (day: string) => Parameter;
}

/** Java's own form of a moment is that of the file; other formats misread days or moments. */
const MOMENTS = 'date_class=text&date_string_format=yyyy-MM-dd HH:mm:ss';
const PYTHON = '/usr/bin/python3';
const JAR = '/usr/share/java/sqlite-jdbc.jar';

const useQuestionMark = () => '?';

export const ODBC: Driver = {
  name: 'SQLite ODBC (pyodbc)',
  day: (date) => ({ date }),
  moment: (day) => ({ text: `${day} 00:00:00` }),
  open: (path, scripts, options = 'BigInt=1') =>
    reader(converse(PYTHON, [join(scripts, 'odbc.py'), path, options]), useQuestionMark),
};

export const JDBC: Driver = {
  name: 'xerial JDBC',
  day: (text) => ({ text }),
  moment: (day) => ({ timestamp: `${day} 00:00:00` }),
  open: (path, scripts, options = MOMENTS) =>
    reader(
      converse('/usr/bin/java', [
        '-cp',
        JAR,
        join(scripts, 'Jdbc.java'),
        `jdbc:sqlite:file:${path}?mode=ro&${options}`,
      ]),
      useQuestionMark,
    ),
};

export const ALCHEMY: Driver = {
  name: 'SQLAlchemy and pandas',
  day: (date) => ({ date }),
  moment: (day) => ({ timestamp: `${day} 00:00:00` }),
  open: (path, scripts) =>
    reader(converse(PYTHON, [join(scripts, 'alchemy.py'), path]), (place) => `:p${place}`),
};

export const DRIVERS = [ODBC, JDBC, ALCHEMY];

function reader({ send, close }: Conversation, marker: (place: number) => string): Reader {
  return {
    describe: () => send('describe'),
    read: (table) => send('read', table),
    query: (sql, ...parameters) => {
      let place = 0;
      const marked = parameters.length > 0 ? sql.replaceAll('?', () => marker(++place)) : sql;
      return send('query', marked, ...parameters.map(parameterText));
    },
    reopen: () => send('open'),
    send,
    close,
  };
}

/** A parameter as the scripts read it: `date:2026-03-01`. */
export function parameterText(parameter: Parameter): string {
  const [[kind, value] = []] = Object.entries(parameter) as [string, string | number][];
  return `${kind}:${value}`;
}

const PACKAGES = fileURLToPath(new URL('debian-packages.txt', import.meta.url));
const MISSING = `while read -r file package; do compgen -G "$file" >/dev/null || echo "$package"; done < "$1"`;

/** Throws where a driver is missing, with the Debian packages that contain it. */
export function requireDrivers(): void {
  const missing = execFileSync('bash', ['-c', MISSING, 'bash', PACKAGES], { encoding: 'utf8' }).split('\n');
  const names = missing.filter((name) => name !== '').join(' ');
  if (names !== '') throw new Error(`missing Debian packages: apt-get install ${names}`);
}
