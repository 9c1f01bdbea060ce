/** Published: one wide view a subject, for tools that want one table. Views pass columns through: a computed one has no type. */
import type { Column, Mart, View } from '../mart.ts';

interface Part {
  alias: string;
  mart: Mart;
  /** The columns it gives; left out: all. */
  names?: readonly string[];
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

function wide(name: string, description: string, parts: readonly Part[], joins: string): View {
  const chosen = parts.flatMap(({ alias, mart, names }) =>
    mart.columns
      .filter((column) => names?.includes(column.name) ?? true)
      .map((column): [string, Column] => [`${alias}."${column.name}"`, column]),
  );
  const columns = chosen.map(([, column]) => column);
  const select = `select ${chosen.map(([text]) => text).join(', ')}\n${joins}`;
  return { kind: 'view', name, description, columns, select };
}

type Subjects = Record<
  'packages' | 'videos' | 'videoVersions' | 'storageDaily' | 'storageReadings' | 'catalogDaily' | 'dates',
  Mart
>;

/** The wide views over the marts. */
export function wideViews(marts: Subjects): View[] {
  const packages = { alias: 'p', mart: marts.packages, names: OF_PACKAGE };
  const dates = { alias: 'd', mart: marts.dates, names: OF_DATE };
  const withPackage = 'join packages p on p.package_key = s.package_key';
  const withDate = 'join dates d on d.day = s.day';
  return [
    wide(
      'bi_videos',
      'Videos with the name of their package.',
      [{ alias: 's', mart: marts.videos }, packages],
      `from videos s ${withPackage}`,
    ),
    wide(
      'bi_video_versions',
      'Every state of every video, with the name of its package.',
      [{ alias: 's', mart: marts.videoVersions }, packages],
      `from video_versions s ${withPackage}`,
    ),
    wide(
      'bi_storage_daily',
      'Storage by day, with the parts of the date.',
      [{ alias: 's', mart: marts.storageDaily }, dates],
      `from storage_daily s ${withDate}`,
    ),
    wide(
      'bi_storage_readings',
      'Readings of storage, with the parts of the date.',
      [{ alias: 's', mart: marts.storageReadings }, dates],
      `from storage_readings s ${withDate}`,
    ),
    wide(
      'bi_catalog_daily',
      'Size of each package by day, with its name and the parts of the date.',
      [{ alias: 's', mart: marts.catalogDaily }, packages, dates],
      `from catalog_daily s ${withPackage} ${withDate}`,
    ),
  ];
}
