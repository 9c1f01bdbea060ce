/** Published: one wide view a subject, for tools that want one table. Views pass columns through: a computed one has no type. */
import type { Column, Mart, View } from '../mart.ts';

/** What is joined to a subject, under its alias, and which of its columns. */
interface Joined {
  alias: string;
  mart: Mart;
  /** The column that both have. */
  by: string;
  names: readonly string[];
}

const OF_PACKAGE = ['package_name', 'is_retired'];
const OF_DATE = [
  'year',
  'quarter',
  'month',
  'month_start',
  'iso_year',
  'iso_week',
  'week_start',
  'weekday',
  'weekday_name',
  'is_weekend',
];

function wide(description: string, subject: Mart, joined: readonly Joined[]): View {
  const chosen = [
    ...subject.columns.map((column) => chosenFrom('s', column)),
    ...joined.flatMap(({ alias, mart, names }) =>
      mart.columns.filter(({ name }) => names.includes(name)).map((column) => chosenFrom(alias, column)),
    ),
  ];
  const joins = joined.map(
    ({ alias, mart, by }) => ` join ${mart.name} ${alias} on ${alias}.${by} = s.${by}`,
  );
  return {
    kind: 'view',
    name: `bi_${subject.name}`,
    description,
    columns: chosen.map(({ column }) => column),
    select: `select ${chosen.map(({ text }) => text).join(', ')}\nfrom ${subject.name} s${joins.join('')}`,
  };
}

function chosenFrom(alias: string, column: Column) {
  return { text: `${alias}."${column.name}"`, column };
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
export function wideViews(marts: Subjects): View[] {
  const packages = { alias: 'p', mart: marts.packages, by: 'package_key', names: OF_PACKAGE };
  const dates = { alias: 'd', mart: marts.dates, by: 'day', names: OF_DATE };
  return [
    wide('Videos with the name of their package.', marts.videos, [packages]),
    wide('Every state of every video, with the name of its package.', marts.videoVersions, [packages]),
    wide('Storage by day, with the parts of the date.', marts.storageDaily, [dates]),
    wide('Readings of storage, with the parts of the date.', marts.storageReadings, [dates]),
    wide('Corrections of storage, with the parts of the date.', marts.storageCorrections, [dates]),
    wide('Size of each package by day, with its name and the parts of the date.', marts.catalogDaily, [
      packages,
      dates,
    ]),
  ];
}
