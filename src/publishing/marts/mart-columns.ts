/** How columns of marts are declared, and the columns that several marts have. */
import { VIDEO_FIELDS, type VideoField } from '../../lib/service-fields.ts';
import type { DataType, TableColumn } from '../mart.ts';

/** Bytes of a GiB, as REAL: the result of a division by it is REAL too. */
export const GIB = '1073741824.0';
export const GIB_UNIT = 'GiB (2^30 bytes)';

type Details = Partial<Pick<TableColumn, 'unit' | 'source' | 'additivity'>>;

const UNIT_OF_TYPE: Partial<Record<DataType, string>> = {
  BOOLEAN: '0 or 1',
  DATE: 'YYYY-MM-DD',
  TIMESTAMP: 'UTC',
};

/** A column. By default it is computed (no source), has the unit of its type, and a BIGINT is non-additive. */
export function column(
  name: string,
  type: DataType,
  description: string,
  value: string,
  details: Details = {},
): TableColumn {
  const unit = UNIT_OF_TYPE[type] ?? null;
  const additivity = type === 'BIGINT' ? 'non-additive' : null;
  return { name, type, unit, description, source: null, additivity, value, ...details };
}

/** A column that shows a column of the live file as it is; `value` is its alias and name. */
export function sourceColumn(
  name: string,
  type: DataType,
  description: string,
  value: `${string}.${string}`,
  details: Details = {},
): TableColumn {
  return column(name, type, description, value, { source: value.split('.')[1] ?? null, ...details });
}

export const TO_PACKAGES = { columns: ['package_key'], table: 'packages', references: ['package_key'] };
export const TO_DATES = { columns: ['day'], table: 'dates', references: ['day'] };

/** A number of a video record (alias `v`). */
export function videoNumber(
  name: string,
  type: 'BIGINT' | 'REAL',
  field: VideoField,
  details: Details & { value?: string; note?: string },
): TableColumn {
  const { value = `v.${field}`, note = '', ...rest } = details;
  const description = `${VIDEO_FIELDS[field].description}${note}.`;
  return column(name, type, description, value, { source: field, additivity: 'non-additive', ...rest });
}

/** A text of a video record (alias `v`): '' becomes NULL. Text written by people gets VARCHAR(2000): some tools truncate to it. */
export function videoText(
  name: string,
  field: VideoField,
  type: 'TEXT' | 'VARCHAR(255)' | 'VARCHAR(2000)' = 'VARCHAR(255)',
): TableColumn {
  return column(name, type, `${VIDEO_FIELDS[field].description}.`, nonEmpty(field), { source: field });
}

export const nonEmpty = (source: string) => `case when v."${source}" <> '' then v."${source}" end`;

/** A duration of the service, as REAL in seconds. */
export function toSeconds(value: string, unit: 'ms' | 's'): string {
  return unit === 'ms' ? `${value} / 1000.0` : `${value} * 1.0`;
}

export const accountColumn = (alias: string) =>
  sourceColumn('account', 'VARCHAR(255)', 'Name of the account in the config.', `${alias}.account`);

/** The columns that identify a package; `key` is the expression of its key. */
export const packageColumns = (alias: string, key = `${alias}.package_key`): TableColumn[] => [
  column(
    'package_key',
    'VARCHAR(255)',
    'Account and package id as one key, such as main/101: joins to packages.',
    key,
  ),
  accountColumn(alias),
  sourceColumn(
    'package_id',
    'BIGINT',
    "The service's number of the distribution package; unique within its account.",
    `${alias}.package_id`,
  ),
];

/** A day in the three forms that BI tools need. */
export function dayColumns(day: string): TableColumn[] {
  const source = 'date';
  return [
    column('day', 'DATE', "Day of the service's calendar: joins to dates.", day, { source }),
    column(
      'day_at',
      'TIMESTAMP',
      'The same day as a timestamp, for tools that shift plain dates by a time zone.',
      `${day} || ' 00:00:00'`,
      { source, unit: 'YYYY-MM-DD 00:00:00' },
    ),
    column(
      'time',
      'BIGINT',
      'The same day as a number, for Grafana.',
      `cast(strftime('%s', ${day}) as integer)`,
      { source, unit: 'seconds since 1970-01-01' },
    ),
  ];
}

/** The same columns, read from `dates` under that alias. */
export function dayColumnsFromDates(alias: string): TableColumn[] {
  return dayColumns('').map((each) => ({ ...each, value: `${alias}.${each.name}` }));
}
