/** The days of storage, as a table and as CSV. */
import { formatCount } from '../../lib/format.ts';
import { FIGURES, STORAGE_KINDS } from '../../service/service-fields.ts';
import { createBars } from '../charts/figures.tsx';
import { changeSince, formatTotal, type CalendarDay } from '../charts/storage-days.ts';
import { formatSize, formatSizeChange, Message, Timestamp } from './format.tsx';
import { Table, type Column } from './table.tsx';

/** The returned function shows a growth in bytes with its bar; null, which is not known: nothing. */
export function createGrowthBars(all: readonly (number | null)[]) {
  const showBar = createBars(all.map((bytes) => bytes ?? 0));
  return (bytes: number | null) => bytes !== null && showBar(bytes, formatSizeChange(bytes));
}

/** The latest first. */
export function Days({ days }: { days: readonly CalendarDay[] }) {
  const showGrowth = createGrowthBars(days.map(({ before, row }) => changeSince(before, row)));
  return (
    <Table
      label={{ by: 'days-heading' }}
      class="figures compact"
      rows={days.toReversed()}
      columns={[
        ['Day', ({ date }) => date],
        ['Change', ({ before, row }) => showGrowth(changeSince(before, row)), 'number'],
        ...STORAGE_KINDS.map(({ label, size, count }): Column<CalendarDay> => [
          label,
          ({ row }) =>
            row && (
              <>
                {formatSize(row[size])}
                {row[count] !== null && <small class="soft"> {formatCount(row[count])}</small>}
              </>
            ),
          'number wide',
        ]),
        ['Total', ({ row }) => row && formatTotal(row), 'number'],
        ['Read', ({ row }) => row && <Reading row={row} />, 'nowrap wide'],
      ]}
      below={({ missing }) => missing !== null && <Message text={missing} />}
    />
  );
}

const Reading = ({ row }: { row: NonNullable<CalendarDay['row']> }) => (
  <>
    {row.state === 'booked' ? '' : `${row.state}, `}
    {row.is_corrected === 1 ? 'corrected, ' : ''}
    <Timestamp at={row.observed_at} />
  </>
);

const CSV_HEAD = ['date', 'state', 'is_corrected', ...FIGURES, 'total_bytes', 'change_bytes', 'observed_at'];

/** CSV (RFC 4180): only days, words and numbers, which need no quotes. Sizes in bytes; empty: not known. */
export function toCsv(days: readonly CalendarDay[]): string {
  return [CSV_HEAD, ...days.map(toCells)].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function toCells({ date, row, before }: CalendarDay): (string | number | null)[] {
  if (row === null) return [date, 'missing', 0, ...FIGURES.map(() => null), null, null, null];
  const sizes = STORAGE_KINDS.map(({ size }) => row[size]);
  // a sum of some sizes is no total
  const total = sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
  const change = total === null ? null : changeSince(before, row);
  return [
    date,
    row.state,
    row.is_corrected,
    ...FIGURES.map((figure) => row[figure]),
    total,
    change,
    row.observed_at,
  ];
}
