/** Published: one wide view per subject, for tools that want one table. */
import type { Column, Mart, View } from '../mart.ts';

const PACKAGE_COLUMNS = ['package_name', 'is_retired'];
const DATE_COLUMNS = [
  ...['year', 'quarter', 'month', 'month_start', 'iso_year', 'iso_week', 'week_start'],
  ...['weekday', 'weekday_name', 'is_weekend'],
];

interface WideView {
  description: string;
  subject: Mart;
  /** By default `bi_` and the name of the subject. */
  name?: string;
  /** Flags that must be false, over the aliases `s` (subject), `p` (packages) and `d` (dates). */
  whereFalse?: readonly string[];
}

/** A subject with the columns of its package and of its day, where it has their keys. */
export function createWideView(
  { description, subject, name = `bi_${subject.name}`, whereFalse = [] }: WideView,
  { packages, dates }: { packages: Mart; dates: Mart },
): View {
  const joins = [
    { alias: 'p', mart: packages, by: 'package_key', names: PACKAGE_COLUMNS },
    { alias: 'd', mart: dates, by: 'day', names: DATE_COLUMNS },
  ].filter(({ by }) => subject.columns.some(({ name }) => name === by));
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
    name,
    description,
    columns: selected.map(({ column }) => column),
    select: `select ${selected.map(toSql).join(', ')}\nfrom ${subject.name} s${joined.join('')}`,
    whereFalse,
  };
}
