/** The SQL of a person on the published file: one statement that reads. */
import { accessSync, constants } from 'node:fs';
import { Database, type Statement } from '../database/sqlite.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError, errorCode, errorMessage, WarehouseError } from '../lib/errors.ts';
import { escapeControls, truncate } from '../lib/format.ts';
import { PUBLISHED_ID } from './atomic-replace.ts';

/** A value as SQLite returns it. An integer is exact: a bigint. */
export type SqlCell = bigint | number | string | Buffer | null;

export interface QueryResult {
  columns: string[];
  /** One array of values for each row, read while they are taken. Throws ConfigError for an error of the SQL. */
  rows: Iterable<SqlCell[]>;
}

/** Opens a published file to read. Throws WarehouseError if there is none, or if it is another kind of file. */
export function openPublishedFile(file: string) {
  assertReadable(file);
  const db = open(file);
  return {
    /**
     * Prepares one statement that reads. Throws ConfigError if the SQL is wrong, would write, has parameters or is more than one
     * statement.
     */
    query: (sql: string): QueryResult => {
      const statement = prepare(db, sql);
      const columns = statement.columns().map(({ name }) => name);
      return { columns, rows: iterate(file, () => statement.raw().safeIntegers().iterate()) };
    },
    close: () => void db.close(),
  };
}

function assertReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if (errorCode(error) === 'EACCES')
      throw new WarehouseError(`this user may not read ${file}`, {
        hint: `that takes r on the file, and x on each folder above it: namei -l ${file}`,
        cause: error,
      });
    throw new WarehouseError(`there is no published file at ${file}`, {
      hint: 'vodhouse publish makes it, and each vodhouse sync that changed something',
    });
  }
}

function open(file: string): Database {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    if (db.pragma('application_id', { simple: true }) === PUBLISHED_ID) return db;
    db.close();
  } catch (error) {
    throw unreadableError(file, error);
  }
  throw new WarehouseError(`${file} is a SQLite file, but vodhouse did not publish it`, {
    hint: 'name the file of publish.file; vodhouse publish makes it',
  });
}

function unreadableError(file: string, error: unknown): WarehouseError {
  return new WarehouseError(`${file} cannot be read: ${errorMessage(error)}`, {
    hint: 'move it away, then vodhouse publish makes a new one',
    cause: error,
  });
}

function prepare(db: Database, sql: string): Statement<unknown[], SqlCell[]> {
  if (sql.includes('\0')) throw new ConfigError('the SQL has a NUL character, where SQLite stops reading');
  let statement;
  try {
    statement = db.prepare<unknown[], SqlCell[]>(sql).bind(); // throws where the SQL has parameters
  } catch (error) {
    throw toSqlError(error, db);
  }
  if (!statement.readonly || !statement.reader)
    throw new ConfigError(
      'the SQL would change something, or returns no rows; the published file is only read',
      {
        hint: 'type one select; what is in the file comes from the service (docs/tables.md)',
      },
    );
  return statement;
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

/** What better-sqlite3 rejects before SQLite sees it, and what to say of it. */
const REJECTED: [pattern: RegExp, message: string, hint: string][] = [
  [/more than one statement/, 'the SQL has more than one statement', 'type one; it needs no ; at its end'],
  [/no statements/, 'there is no SQL', `vodhouse query "select * from videos_now limit 5"`],
  [
    /Too few parameter|Missing named parameter/,
    'the SQL has parameters, and nothing gives them a value',
    'write the values into the SQL',
  ],
];

function toSqlError(error: unknown, db?: Database): unknown {
  const message = errorMessage(error);
  if (error instanceof Database.SqliteError)
    return new ConfigError(`SQLite: ${truncate(escapeControls(message), 300)}`, {
      hint: db && getHint(db, message),
      cause: error,
    });
  const rejected = REJECTED.find(([pattern]) => pattern.test(message));
  return rejected ? new ConfigError(rejected[1], { hint: rejected[2], cause: error }) : error;
}

/** For a name that the file does not have: the nearest one, and where all of them are. */
function getHint(db: Database, message: string): string | undefined {
  const [, kind, name = ''] = /^no such (table|column): (?:\w+\.)?(.*)$/.exec(message) ?? [];
  if (kind === undefined) return undefined;
  const nearest = findNearest(name, listNames(db, kind === 'table' ? 'table_name' : 'column_name'));
  const all = 'vodhouse query "select table_name, column_name, description from dictionary" lists all names';
  return nearest === undefined ? all : `did you mean ${nearest}? ${all}`;
}

function listNames(db: Database, column: 'table_name' | 'column_name'): string[] {
  return db.prepare<[], string>(`select distinct ${column} from dictionary`).pluck().all();
}
