/** Copies all rows of an account from an attached live file: set by set, with numbers that count in this file. */
import type { Tx } from '../../database/connection.ts';
import { WarehouseError } from '../../lib/errors.ts';
import { getChangeSeq, setChangeSeq } from '../statements/warehouse-state.ts';
import { COUNTED_TABLES, MOVED_TABLES, type Counter } from './moved-tables.ts';

/** The name under which the file is attached that the account leaves. */
export const LEFT_FILE = 'left_file';

/** What is added to each counter. */
type Offsets = Readonly<Record<Counter, number>>;

/** Rows of the account by table; tables without any are left out. */
export type RowCounts = readonly { table: string; rows: number }[];

const pluck = (tx: Tx, sql: string, parameters: object = {}): number =>
  tx.$client.prepare(sql).pluck().get(parameters) as number;

/** Counts the rows of an account in the tables that move. `schema`: of this file (`main`), or of an attached one. */
export function countMovedRows(tx: Tx, account: string, schema = 'main'): RowCounts {
  return Object.keys(MOVED_TABLES)
    .map((table) => ({
      table,
      rows: pluck(tx, `select count(*) from ${schema}."${table}" where account = :account`, { account }),
    }))
    .filter(({ rows }) => rows > 0);
}

/**
 * Copies the rows of an account of the attached file into this one. Returns what was added to each `change_seq`. Throws
 * WarehouseError where not all rows arrived. To be called in a transaction.
 */
export function copyAccount(tx: Tx, account: string): number {
  const offsets = findOffsets(tx);
  const before = new Map(countMovedRows(tx, account).map(({ table, rows }) => [table, rows]));
  copyRuns(tx, account, offsets.run_id);
  for (const table of Object.keys(MOVED_TABLES)) copyTable(tx, table, account, offsets);
  setChangeSeq(tx, { seq: Math.max(getChangeSeq(tx), getLeftSeq(tx) + offsets.change_seq) });
  assertAllThere(tx, account, before);
  return offsets.change_seq;
}

const getLeftSeq = (tx: Tx): number => pluck(tx, `select change_seq from ${LEFT_FILE}.warehouse_state`);

/**
 * A constant keeps the order of the states of each video. Above every number of both files, so that a target can move its
 * own rows by the same constant and meets no number twice. A new file takes the numbers as they are: targets then have
 * nothing to write.
 */
function findOffsets(tx: Tx): Offsets {
  const seq = getChangeSeq(tx);
  const ids = Object.entries(COUNTED_TABLES).map(([counter, table]) => [
    counter,
    pluck(tx, 'select coalesce((select seq from sqlite_sequence where name = :table), 0)', { table }),
  ]);
  return {
    ...(Object.fromEntries(ids) as Omit<Offsets, 'change_seq'>),
    change_seq: seq === 0 ? 0 : Math.max(seq, getLeftSeq(tx)),
  };
}

/** Requests of an account in a run `r`: of the ledger, or where that is pruned, of its walks. */
const requestsOfRun = (schema: string): string => `min(r.requests, max(
  (select count(*) from ${schema}.request q where q.run_id = r.run_id and q.account = :account),
  (select coalesce(sum(w.requests), 0) from ${schema}.walk w where w.run_id = r.run_id and w.account = :account)))`;

const runsOfAccount = (schema: string): string => `(
  select run_id from ${schema}.walk where account = :account
  union select run_id from ${schema}.run_failure where account = :account
  union select run_id from ${schema}.request where account = :account and run_id is not null)`;

/**
 * Runs in which the account had a part, with its requests only: the others stay with the file. In a file that has runs of its
 * own they are marked as those of one account, so that no schedule takes them for a run over everything.
 */
function copyRuns(tx: Tx, account: string, offset: number): void {
  const hasRuns = pluck(tx, 'select exists (select 1 from run)') === 1;
  const values: Record<string, string> = {
    run_id: 'run_id + :offset',
    requests: requestsOfRun(LEFT_FILE),
    ...(hasRuns && {
      scope: `case when scope like 'moved %' then scope else 'moved ' || :account || coalesce(': ' || scope, '') end`,
      trigger: `'manual'`,
      resume_at: 'null',
    }),
  };
  const columns = listColumns(tx, 'run');
  tx.$client
    .prepare(
      `insert into main.run (${quote(columns)})
select ${columns.map((name) => values[name] ?? `"${name}"`).join(', ')}
from ${LEFT_FILE}.run r where run_id in ${runsOfAccount(LEFT_FILE)} order by run_id`,
    )
    .run({ account, offset });
}

/** The other half of `copyRuns`, in the file that the account leaves: a request is counted in one file only. */
export function subtractRequests(tx: Tx, account: string): void {
  tx.$client
    .prepare(
      `update run as r set requests = r.requests - ${requestsOfRun('main')} where run_id in ${runsOfAccount('main')}`,
    )
    .run({ account });
}

/** What a row becomes that meets one of the same key: only tables that may have rows of the account already. */
const ON_CONFLICT: Readonly<Record<string, string>> = {
  pause: `on conflict do update set until = max(until, excluded.until), full_rate_at = max(full_rate_at, excluded.full_rate_at),
  since = max(since, excluded.since), consecutive_restrictions = max(consecutive_restrictions, excluded.consecutive_restrictions),
  reason = case when excluded.until > until then excluded.reason else reason end`,
  saved_requests:
    'on conflict do update set looks = looks + excluded.looks, requests = requests + excluded.requests',
};

function copyTable(tx: Tx, table: string, account: string, offsets: Offsets): void {
  const counters = MOVED_TABLES[table] ?? {};
  const columns = listColumns(tx, table);
  const values = columns.map((name) => {
    const counter = counters[name];
    const offset = counter === undefined ? 0 : offsets[counter];
    return offset === 0
      ? `"${name}"`
      : `case when "${name}" > 0 then "${name}" + ${offset} else "${name}" end`;
  });
  tx.$client
    .prepare(
      `insert into main."${table}" (${quote(columns)})
select ${values.join(', ')} from ${LEFT_FILE}."${table}" where account = :account ${ON_CONFLICT[table] ?? ''}`,
    )
    .run({ account });
}

const quote = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const listColumns = ({ $client }: Tx, table: string): string[] =>
  $client.prepare('select name from pragma_table_info(?) order by cid').pluck().all(table) as string[];

/** Throws WarehouseError: a row that was left out would be lost when the other file deletes its own. */
function assertAllThere(tx: Tx, account: string, before: ReadonlyMap<string, number>): void {
  const now = new Map(countMovedRows(tx, account).map(({ table, rows }) => [table, rows]));
  for (const { table, rows } of countMovedRows(tx, account, LEFT_FILE)) {
    const arrived = (now.get(table) ?? 0) - (before.get(table) ?? 0);
    if (arrived === rows || table in ON_CONFLICT) continue;
    throw new WarehouseError(`${arrived} of ${rows} rows of ${table} arrived; nothing was moved`);
  }
}
