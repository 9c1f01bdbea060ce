/** Columns that several marts have, and the forms of those that come from the live file. */
import type { MadeColumn } from '../mart.ts';

/** Bytes of a GiB, as REAL: what is divided by it is REAL too. */
export const GIB = '1073741824.0';

/** A length that the service counts in `unit`, as REAL in seconds. */
export function inSeconds(value: string, unit: 'ms' | 's'): string {
  return unit === 'ms' ? `${value} / 1000.0` : `${value} * 1.0`;
}

/** The column that tells the package, in every mart of packages and videos. */
const packageKey = (value: string): MadeColumn => ({
  name: 'package_key',
  type: 'VARCHAR(255)',
  unit: null,
  description: 'Account and package id as one key, such as main/101: joins to packages.',
  source: null,
  additivity: null,
  value,
});

/** The column that tells the account. */
export const accountColumn = (alias: string): MadeColumn => ({
  name: 'account',
  type: 'VARCHAR(255)',
  unit: null,
  description: 'Name of the account in the config.',
  source: 'account',
  additivity: null,
  value: `${alias}.account`,
});

/** The columns that name a package. */
export const packageColumns = (alias: string): MadeColumn[] => [
  packageKey(`${alias}.package_key`),
  accountColumn(alias),
  {
    name: 'package_id',
    type: 'BIGINT',
    unit: null,
    description: "The service's number of the distribution package; unique within its account.",
    source: 'package_id',
    additivity: 'non-additive',
    value: `${alias}.package_id`,
  },
];

/** A text of the live file: '' and NULL are one here. What people write gets VARCHAR(2000): some tools cut at the number. */
export function text(
  name: string,
  source: string,
  description: string,
  type: 'TEXT' | 'VARCHAR(255)' | 'VARCHAR(2000)' = 'VARCHAR(255)',
): MadeColumn {
  const value = `case when v."${source}" <> '' then v."${source}" end`;
  return { name, type, unit: null, description, source, additivity: null, value };
}

/** A moment of the live file. */
export function moment(name: string, source: string, description: string): MadeColumn {
  const value = `v."${source}"`;
  return { name, type: 'TIMESTAMP', unit: 'UTC', description, source, additivity: null, value };
}

/** A flag that is computed. */
export function flag(name: string, description: string, value: string): MadeColumn {
  return { name, type: 'BOOLEAN', unit: '0 or 1', description, source: null, additivity: null, value };
}

/** A figure of the live file. */
export function number(
  name: string,
  type: 'BIGINT' | 'REAL',
  unit: string,
  source: string,
  additivity: 'additive' | 'non-additive',
  value: string,
  description: string,
): MadeColumn {
  return { name, type, unit, description, source, additivity, value };
}

/** A day in the three forms that BI tools want. */
export function dayColumns(day: string): MadeColumn[] {
  return [
    {
      name: 'day',
      type: 'DATE',
      unit: 'YYYY-MM-DD',
      description: "Day of the service's calendar: joins to dates.",
      source: 'date',
      additivity: null,
      value: day,
    },
    {
      name: 'day_at',
      type: 'TIMESTAMP',
      unit: 'YYYY-MM-DD 00:00:00',
      description: 'The same day as a moment, for tools that shift plain dates.',
      source: 'date',
      additivity: null,
      value: `${day} || ' 00:00:00'`,
    },
    {
      name: 'time',
      type: 'BIGINT',
      unit: 'seconds since 1970-01-01',
      description: 'The same day as a number, for Grafana.',
      source: 'date',
      additivity: 'non-additive',
      value: `cast(strftime('%s', ${day}) as integer)`,
    },
  ];
}

/** The same where the calendar is joined under that alias: it has all three. */
export function dayOfCalendarColumns(alias: string): MadeColumn[] {
  return dayColumns('').map((column) => ({ ...column, value: `${alias}.${column.name}` }));
}
