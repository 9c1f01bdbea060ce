/** Published: one wide view per subject, for tools that want one table. */
import type { Column, Mart, View } from '../mart.ts';

/** A table that is joined to a subject by a column that both have, and the columns that it adds. */
interface Join {
  alias: string;
  mart: Mart;
  by: string;
  names: readonly string[];
}

type Subjects = Record<
  | 'packages'
  | 'videos'
  | 'videoVersions'
  | 'storageDaily'
  | 'storageReadings'
  | 'storageCorrections'
  | 'catalogDaily'
  | 'dates',
  Mart
>;

/** The wide views over the marts. */
export function createWideViews(marts: Subjects): View[] {
  const packages = { alias: 'p', mart: marts.packages, by: 'package_key', names: PACKAGE_COLUMNS };
  const dates = { alias: 'd', mart: marts.dates, by: 'day', names: DATE_COLUMNS };
  return [
    createWideView('Videos with the name of their package.', marts.videos, [packages]),
    createWideView('Every state of every video, with the name of its package.', marts.videoVersions, [
      packages,
    ]),
    createWideView('Storage by day, with the parts of the date.', marts.storageDaily, [dates]),
    createWideView('Readings of storage, with the parts of the date.', marts.storageReadings, [dates]),
    createWideView('Corrections of storage, with the parts of the date.', marts.storageCorrections, [dates]),
    createWideView(
      'Size of each package by day, with its name and the parts of the date.',
      marts.catalogDaily,
      [packages, dates],
    ),
  ];
}

const PACKAGE_COLUMNS = ['package_name', 'is_retired'];
const DATE_COLUMNS = [
  ...['year', 'quarter', 'month', 'month_start', 'iso_year', 'iso_week', 'week_start'],
  ...['weekday', 'weekday_name', 'is_weekend'],
];

function createWideView(description: string, subject: Mart, joins: readonly Join[]): View {
  const selected = [
    ...subject.columns.map((column) => ({ alias: 's', column })),
    ...joins.flatMap(({ alias, mart, names }) =>
      mart.columns.filter(({ name }) => names.includes(name)).map((column) => ({ alias, column })),
    ),
  ];
  const toSql = ({ alias, column }: { alias: string; column: Column }) => `${alias}."${column.name}"`;
  const joined = joins.map(
    ({ alias, mart, by }) => ` join ${mart.name} ${alias} on ${alias}.${by} = s.${by}`,
  );
  return {
    kind: 'view',
    name: `bi_${subject.name}`,
    description,
    columns: selected.map(({ column }) => column),
    select: `select ${selected.map(toSql).join(', ')}\nfrom ${subject.name} s${joined.join('')}`,
  };
}
