/** How columns of marts are declared, and the columns that several marts have. */
import { VIDEO_FIELDS, type VideoField } from '../../service/service-fields.ts';
import type { DataType, TableColumn } from './mart.ts';

/** Bytes of a GiB, as REAL: the result of a division by it is REAL too. */
const GIB = '1073741824.0';
const GIB_UNIT = 'GiB (2^30 bytes)';

export type Details = Partial<Pick<TableColumn, 'unit' | 'source' | 'additivity' | 'values'>>;

const UNIT_OF_TYPE: Partial<Record<DataType, string>> = {
  BOOLEAN: '0 or 1',
  DATE: 'YYYY-MM-DD',
  TIMESTAMP: 'UTC',
};

/** A column. By default it has no source and the unit of its type, and a number is non-additive. */
export function column(
  name: string,
  type: DataType,
  description: string,
  value: string,
  details: Details = {},
): TableColumn {
  const unit = UNIT_OF_TYPE[type] ?? null;
  const additivity = type === 'BIGINT' || type === 'REAL' ? 'non-additive' : null;
  return { name, type, unit, description, source: null, additivity, values: null, value, ...details };
}

/** A column whose values come from code; without a unit it has that of its type. */
interface CodeColumn {
  type: DataType;
  description: string;
  unit?: string;
  values?: readonly string[];
}

/** Columns whose values come from code, by name, in their order. */
export type CodeColumns = Readonly<Record<string, CodeColumn>>;

/** A row of such columns. */
export type RowOf<Columns extends CodeColumns> = {
  [Name in keyof Columns]:
    (Columns[Name]['type'] extends 'BIGINT' | 'REAL' | 'BOOLEAN' ? number : string) | null;
};

export const columnsFromCode = (columns: CodeColumns): TableColumn[] =>
  Object.entries(columns).map(([name, { type, description, ...details }]) =>
    column(name, type, description, '', details),
  );

/** A column of the live file: its alias and its name. */
type Source = `${string}.${string}`;

const nameSource = (value: Source): string | null => value.split('.')[1] ?? null;

/** A column that shows a column of the live file as it is. */
export function sourceColumn(
  name: string,
  type: DataType,
  description: string,
  value: Source,
  details: Details = {},
): TableColumn {
  return column(name, type, description, value, { source: nameSource(value), ...details });
}

/** A moment `NAME_at` in UTC. */
export const instant = (name: string, description: string, value: Source) =>
  sourceColumn(`${name}_at`, 'TIMESTAMP', description, value);

/** A moment `NAME_at` that people group by: with `NAME_day`, its day in the service's calendar. */
export function moment(name: string, description: string, value: Source): TableColumn[] {
  const [ofDay, source] = [`Day of ${name}_at in the service's calendar.`, nameSource(value)];
  return [
    instant(name, description, value),
    column(`${name}_day`, 'DATE', ofDay, `service_day(${value})`, { source }),
  ];
}

/** A size in bytes, and the same in GiB. */
export function size(name: string, description: string, bytes: string, details: Details): TableColumn[] {
  return [
    column(`${name}_bytes`, 'BIGINT', `${description}.`, bytes, { unit: 'bytes', ...details }),
    column(`${name}_gib`, 'REAL', `${description}.`, `(${bytes}) / ${GIB}`, { ...details, unit: GIB_UNIT }),
  ];
}

/**
 * A text of a video (alias `v`), or NULL for ''. Some tools cut a text off at the length of its VARCHAR, so
 * long ones are TEXT.
 */
export function videoText(
  name: string,
  field: VideoField,
  type: 'TEXT' | 'VARCHAR(255)' | 'VARCHAR(2000)' = 'VARCHAR(2000)',
): TableColumn {
  return column(name, type, `${VIDEO_FIELDS[field].description}.`, nonEmpty(field), { source: field });
}

/**
 * A text with U+FFFD in place of U+0000, where some readers end a text. `without_nul` calls JavaScript, which
 * is slow, so it is called only for texts that have the character.
 */
export const withoutNul = (text: string) => `iif(instr(${text}, char(0)), without_nul(${text}), ${text})`;

const nonEmpty = (source: string) => `case when v."${source}" <> '' then ${withoutNul(`v."${source}"`)} end`;

/** A duration of the service, as REAL in seconds. */
export const toSeconds = (value: string, unit: 'ms' | 's'): string =>
  unit === 'ms' ? `${value} / 1000.0` : `${value} * 1.0`;

export const accountColumn = (alias: string) =>
  sourceColumn('account', 'VARCHAR(255)', 'Name of the account in the config.', `${alias}.account`);

/** The columns that identify a package, from `package_keys` under that alias. */
export const packageColumns = (alias: string): TableColumn[] => [
  column(
    'package_key',
    'VARCHAR(255)',
    'Account and package id as one key, such as main/101.',
    `${alias}.package_key`,
  ),
  accountColumn(alias),
  column(
    'package_name',
    'VARCHAR(255)',
    'Name of the package in the config, or else its key. Where two packages of a file have one name, the key follows it.',
    `${alias}.package_name`,
    { source: 'name' },
  ),
];

/** The key of a video of `package_keys` under the alias `p`. */
export const VIDEO_KEY = column(
  'video_key',
  'VARCHAR(255)',
  'Account, package id and video id as one key, such as main/101/7. A video in two packages has two.',
  `p.package_key || '/' || v.id`,
);

/** A day of the service's calendar, from a table under the alias `d`. */
export const DAY = column('day', 'DATE', "Day of the service's calendar.", 'd.day', { source: 'date' });

/** `what` names the rows of a month, such as `day`; `isLast` is the condition in SQL for the last of them. */
export const monthEndColumn = (what: string, isLast: string) =>
  column('is_month_end', 'BOOLEAN', `1 for the last ${what} of its month: one row a month.`, isLast);

/** A key that is unique among all warehouses, made of a number that is unique within one. */
export const withWarehouse = (number: string) =>
  `(select substr(warehouse_id, 1, 8) from live.warehouse_state) || '/' || ${number}`;

export const RUN_KEY = column(
  'run_key',
  'VARCHAR(255)',
  'Warehouse and number of a run as one key; NULL outside of runs. Runs are deleted by age.',
  withWarehouse('v.run_id'),
  { source: 'run_id' },
);
