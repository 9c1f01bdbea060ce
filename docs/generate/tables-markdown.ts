/** docs/tables.md: every table and column of the published file. Written by `npm run docs`. */
import type { Column, Mart } from '../../src/publishing/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { code, codes, grid, linkTo, paragraphs } from './markdown.ts';

/** What `publish.exclude` of the config leaves out by default, under the service's names. */
export const LEFT_OUT_BY_DEFAULT: readonly string[] = ['access_key', 'org_access_key'];

/** Everything that can be published. The unit of durations changes values, and no word of this page. */
export const PUBLISHED = createMarts({ durationUnit: 'ms', exclude: [] }).all;

const INTRODUCTION = `# The published tables

Generated from the code by \`npm run docs\`: do not edit. The table \`dictionary\` of the file has the same, with units, allowed values and
the fields of the service that columns come from.

- Times (\`…_at\`, TIMESTAMP) are text \`YYYY-MM-DD HH:MM:SS\` in UTC. Beside each is its day (\`…_day\`, DATE) in the service's
  calendar (\`timezone\` of the config); \`dates\` says when a day begins and ends. Only \`created_at\` is on the service's own clock.
- Flags (BOOLEAN) are 0 or 1: write \`not is_removed\`, which every database reads. No value is NULL, also for an empty text of the service.
- **Σ** marks a figure that may be summed over everything; **Σ/day** a level: sum it over everything but days.
- Removed videos stay, with \`is_removed\`; \`videos_now\` leaves them out. Videos at an earlier time are in \`video_versions\`:
  \`not is_removed and valid_from <= :at and (valid_to is null or :at < valid_to)\`.
- The keys that let a video be played are left out by default (\`publish.exclude\`).
- The sizes are read in bytes, the size of the picture in pixels, durations in \`duration_unit\` of the config: the service documents no unit.
- PostgreSQL and a lake have the same tables with their own types; in PostgreSQL \`runs\`, \`walks\` and \`about\` also have \`warehouse_id\`, a lake has no
  views ([targets.md](targets.md)).

Columns that many tables have:`;

/** Described once, above the tables. */
const SHARED = ['account', 'package_key', 'package_name', 'video_key', 'video_id', 'day'];

/** The whole page. */
export function tablesMarkdown(): string {
  const all = PUBLISHED.flatMap(({ columns }) => columns);
  const shared = SHARED.flatMap((name) => all.find((column) => column.name === name) ?? []);
  return paragraphs([
    INTRODUCTION,
    describeColumns(shared),
    grid(
      ['table', 'one row is'],
      PUBLISHED.map((mart) => [linkTo(mart.name), describe(mart)]),
    ),
    ...PUBLISHED.flatMap(section),
  ]);
}

const describe = ({ kind, description }: Mart) =>
  `${description.replace(/^One row per /, '')}${kind === 'view' ? ' A view.' : ''}`;

function section(mart: Mart): string[] {
  const base = PUBLISHED.find((other) => other.name === 'videos');
  const isLike = mart !== base && mart.name.startsWith('video') && mart.name !== 'video_tags';
  const known = isLike ? (base?.columns ?? []) : mart.columns.filter(({ name }) => SHARED.includes(name));
  const also = mart.columns.filter(({ name }) => known.some((column) => column.name === name));
  const own = mart.columns.filter((column) => !also.includes(column));
  const isSame = isLike && also.length === base?.columns.length;
  const names = isSame ? 'all columns' : codes(also.map(({ name }) => name));
  const key = mart.kind === 'table' ? `Key: ${codes(mart.key)}.` : 'A view.';
  return [
    `## ${code(mart.name)}`,
    `${key}${also.length === 0 ? '' : isLike ? ` As in ${linkTo('videos')}: ${names}.` : ` Shared: ${names}.`}`,
    ...(own.length === 0 ? [] : [describeColumns(own)]),
  ];
}

const describeColumns = (columns: readonly Column[]): string =>
  grid(
    ['column', 'type', 'means'],
    mergeDays(columns).map((column) => [code(column.name), column.type, explain(column)]),
  );

/** `changed_at` and `changed_day` are one row. */
function mergeDays(columns: readonly Column[]): Column[] {
  const isDayOf = (day: Column, { name }: Column) => day.name === name.replace(/_at$/, '_day');
  return columns
    .filter((column) => !columns.some((other) => other.name.endsWith('_at') && isDayOf(column, other)))
    .map((column) =>
      column.name.endsWith('_at') && columns.some((other) => other !== column && isDayOf(other, column))
        ? { ...column, name: `${column.name}\`, \`${column.name.replace(/_at$/, '_day')}` }
        : column,
    );
}

const SUMS = { additive: ' **Σ**', 'semi-additive': ' **Σ/day**', 'non-additive': '' };

function explain({ name, source, description, additivity, values }: Column): string {
  const listed = values === null ? '' : ` Values: ${values.join(', ')}.`;
  const leftOut = LEFT_OUT_BY_DEFAULT.includes(source ?? name) ? ' Left out by default.' : '';
  const sums = additivity === null ? '' : SUMS[additivity];
  return `${description}${description.includes(`${values?.[0] ?? '\0'}: `) ? '' : listed}${leftOut}${sums}`;
}
