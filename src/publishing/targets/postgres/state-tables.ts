/** The tables in which a target keeps how far each account is, and who ships it. They are committed with the rows. */
import type { Marts } from '../../marts/marts.ts';
import { listTargetTables, toType, type TargetTable } from './tables.ts';

const required = (name: string, type: string) => ({ name, type, isRequired: true });
const optional = (name: string, type: string) => ({ name, type, isRequired: false });

const TIME = 'timestamp with time zone';

/** One row an account: its lease, and the mark up to which the target has it. */
const account: TargetTable = {
  name: 'vodhouse_account',
  key: ['account'],
  columns: [
    required('account', 'text'),
    required('warehouse_id', 'uuid'),
    required('epoch', 'bigint'), // counts the changes of the worker
    required('worker', 'text'),
    required('instance', 'text'), // the live file of that worker
    required('lease_until', TIME),
    optional('renewed_at', TIME),
    optional('status', 'text'), // NULL: as it should be; or why not: unverified, rebuild, moved
    optional('timeline', 'uuid'),
    optional('shape', 'text'),
    optional('change_seq', 'bigint'),
    optional('load_id', 'bigint'),
    optional('loaded_at', TIME),
    optional('published_at', TIME),
    optional('verified_at', TIME),
  ],
};

/** One row a load, for ever; with the newest state of a video that it brought. */
const load: TargetTable = {
  name: 'vodhouse_load',
  key: ['load_id'],
  columns: [
    required('load_id', 'bigint generated always as identity'),
    required('account', 'text'),
    required('warehouse_id', 'uuid'),
    required('timeline', 'uuid'),
    required('epoch', 'bigint'),
    required('worker', 'text'),
    required('kind', 'text'), // first, changes, reload, removed
    optional('from_change_seq', 'bigint'),
    optional('to_change_seq', 'bigint'),
    optional('package_id', 'bigint'),
    optional('video_id', 'bigint'),
    optional('valid_from', TIME),
    required('rows', 'bigint'),
    required('loaded_at', TIME),
    required('published_at', TIME),
  ],
};

/** One row for each slice of a small table: what was loaded last. `owner`: an account, or the id of a warehouse. */
const slice: TargetTable = {
  name: 'vodhouse_slice',
  key: ['owner', 'table_name', 'slice'],
  columns: ['owner', 'table_name', 'slice', 'checksum'].map((name) => required(name, 'text')),
};

/** One row a warehouse: for its runs and walks. */
const warehouse: TargetTable = {
  name: 'vodhouse_warehouse',
  key: ['warehouse_id'],
  columns: [
    required('warehouse_id', 'uuid'),
    optional('timeline', 'uuid'),
    optional('worker', 'text'),
    optional('version', 'text'),
    optional('loaded_at', TIME),
  ],
};

/** Facts about the schema: its shape, and the zone of its calendar. */
const facts: TargetTable = {
  name: 'vodhouse_schema',
  key: ['key'],
  columns: [required('key', 'text'), required('value', 'text')],
};

/** States that only the target had when a warehouse was restored, or booked days that a person let go: nothing is lost. */
function lostHistory({ videos }: Marts): TargetTable {
  const columns = videos.columns.map((column) => optional(column.name, toType(column)));
  return {
    name: 'vodhouse_lost_history',
    key: [],
    columns: [...columns, optional('timeline', 'uuid'), required('set_aside_at', TIME)],
  };
}

function lostStorage({ storageDaily }: Marts): TargetTable {
  const columns = storageDaily.columns.map((column) => optional(column.name, toType(column)));
  return { name: 'vodhouse_lost_storage', key: [], columns: [...columns, required('set_aside_at', TIME)] };
}

/** All tables of a target: the published ones and its own. */
export function listAllTables(marts: Marts): TargetTable[] {
  const own = [account, load, slice, warehouse, facts, lostHistory(marts), lostStorage(marts)];
  return [...listTargetTables(marts), ...own];
}
