/** The SQL of a person on the published file: one statement that reads; and its result as CSV. */
import { statSync } from 'node:fs';
import { Database, type Statement } from '../database/sqlite.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError, errorCode, errorMessage, WarehouseError, type Hint } from '../lib/errors.ts';
import { escapeControls, truncate } from '../lib/format.ts';
import { PUBLISHED_ID } from './replace-file.ts';

/** A value as SQLite returns it. An integer is exact: a bigint. */
export type SqlCell = bigint | number | string | Buffer | null;

export interface QueryResult {
  columns: string[];
  /** The values of each row, read as they are consumed. Throws ConfigError for an error of the SQL. */
  rows: Iterable<SqlCell[]>;
}

/** Opens a published file. Throws WarehouseError if there is none, or it is another kind of file. */
export function openPublishedFile(file: string) {
  const db = open(file);
  return {
    /**
     * Prepares one statement that reads. Throws ConfigError if the SQL is wrong, would write, has parameters
     * or is more than one statement.
     */
    query: (sql: string): QueryResult => {
      const statement = prepare(db, sql);
      const columns = statement.columns().map(({ name }) => name);
      return { columns, rows: iterate(file, () => statement.raw().safeIntegers().iterate()) };
    },
    close: () => void db.close(),
  };
}

function open(file: string): Database {
  try {
    // its error tells a missing file from one in a folder without access; that of SQLite does not
    statSync(file);
    const db = new Database(file, { readonly: true, fileMustExist: true });
    if (db.pragma('application_id', { simple: true }) === PUBLISHED_ID) return db;
    db.close();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw unreadableError(file, error);
    throw new WarehouseError(`there is no published file at ${file}`, {
      hint: [
        'check the path; ',
        { command: 'publish' },
        ' makes the file of the config, and so does each ',
        { command: 'sync' },
        ' that changed something',
      ],
      cause: error,
    });
  }
  throw new WarehouseError(`${file} is a SQLite file, but vodhouse did not publish it`, {
    hint: ['name the file of publish.file; ', { command: 'publish' }, ' makes it'],
  });
}

const unreadableError = (file: string, cause: unknown) =>
  new WarehouseError(`${file} cannot be read: ${errorMessage(cause)}`, {
    hint: [
      `namei -l ${file} shows who may read it; if it is damaged, move it away, and `,
      { command: 'publish' },
      ' makes a new one',
    ],
    cause,
  });

const WOULD_CHANGE = 'the SQL would change something, or returns no rows';
const ONE_SELECT = 'type one select, with its values in it; the published file is only read';

function prepare(db: Database, sql: string): Statement<unknown[], SqlCell[]> {
  if (sql.includes('\0')) throw new ConfigError('the SQL has a NUL character, where SQLite stops reading');
  let statement;
  try {
    statement = db.prepare<unknown[], SqlCell[]>(sql).bind(); // throws where the SQL has parameters
  } catch (error) {
    throw toSqlError(error, db);
  }
  if (statement.readonly && statement.reader) return statement;
  throw new ConfigError(WOULD_CHANGE, { hint: ONE_SELECT });
}

function* iterate(file: string, begin: () => Iterable<SqlCell[]>): Iterable<SqlCell[]> {
  try {
    yield* begin();
  } catch (error) {
    if (/^SQLITE_(?:CORRUPT|IOERR|NOTADB|CANTOPEN)/.test(errorCode(error)))
      throw unreadableError(file, error);
    throw toSqlError(error);
  }
}

/** Columns of a terminal that a message of SQLite may take. */
const MOST_COLUMNS = 300;

function toSqlError(error: unknown, db?: Database): ConfigError {
  const message = truncate(escapeControls(errorMessage(error)), MOST_COLUMNS);
  if (message.startsWith('cannot modify ')) return new ConfigError(WOULD_CHANGE, { hint: ONE_SELECT });
  if (!(error instanceof Database.SqliteError))
    return new ConfigError(message, { hint: ONE_SELECT, cause: error });
  return new ConfigError(`SQLite: ${message}`, { hint: db && findName(db, message), cause: error });
}

/** For a name that the file does not have: the nearest one, and where all of them are. */
function findName(db: Database, message: string): Hint | undefined {
  const [, name] = /^no such (?:table|column): (?:\w+\.)?(.*)$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const names = db.prepare<[], string>(
    'select table_name from dictionary union select column_name from dictionary',
  );
  const nearest = findNearest(name, names.pluck().all());
  const command = 'query "select table_name, column_name, description from dictionary"';
  return [nearest === undefined ? '' : `did you mean ${nearest}? `, { command }, ' lists all names'];
}

/**
 * RFC 4180 with a heading, one text for each line. NULL is an empty field and an empty text is `""`, so that
 * the two are not the same, as in PostgreSQL.
 */
export function* queryCsv({ columns, rows }: QueryResult): Iterable<string> {
  yield toCsvLine(columns);
  for (const row of rows) yield toCsvLine(row);
}

function toCsvLine(cells: readonly SqlCell[]): string {
  // a line of one NULL would be an empty line, which readers skip; it looks like an empty text
  if (cells.length === 1 && cells[0] === null) return '""\n';
  return `${cells.map((cell) => (cell === null ? '' : toCsvField(toText(cell)))).join(',')}\n`;
}

function toCsvField(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** As SQLite writes it: an infinite number as `9e999`, bytes as `x'0a'`. */
export function toText(cell: Exclude<SqlCell, null>): string {
  if (Buffer.isBuffer(cell)) return `x'${cell.toString('hex')}'`;
  if (cell === Infinity) return '9e999';
  return cell === -Infinity ? '-9e999' : String(cell);
}
