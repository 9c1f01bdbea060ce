import { formatCount } from '../../lib/format.ts';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import type { StorageDayRow } from '../../queries/named/storage.ts';
import { formatTotal, type CalendarDay } from '../views/storage-calendar.ts';
import { formatSize, Timestamp } from './format.tsx';
import { Table, type TableProps } from './table.tsx';

const HEAD = ['Day', ...STORAGE_KINDS.map(({ label }) => label), 'Total'];

interface DayTableProps extends Pick<TableProps, 'label'> {
  days: readonly CalendarDay[];
  /** Also show the counts, and when each day was observed. */
  isDetailed?: boolean;
}

export function DayTable({ label, days, isDetailed = false }: DayTableProps) {
  const head = isDetailed ? [...HEAD, 'Observed'] : HEAD;
  return (
    <Table label={label} class="figures" head={head}>
      {days.map(({ date, row, ...day }) => (
        <tr key={date} class={row ? undefined : 'gap'}>
          <th scope="row">
            {date}
            {row?.state === 'live' && !isDetailed && ' (live)'}
            {row?.state === 'booked' && row.is_corrected === 1 && ' (corrected)'}
          </th>
          {row ? (
            <DayCells row={row} isDetailed={isDetailed} />
          ) : (
            <td colSpan={head.length - 1}>{'missing' in day && day.missing}</td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function DayCells({ row, isDetailed }: { row: StorageDayRow; isDetailed: boolean }) {
  return (
    <>
      {STORAGE_KINDS.map(({ size, count }) => (
        <td key={size}>
          {formatSize(row[size])}
          {isDetailed && row[count] !== null && <small class="soft"> {formatCount(row[count])}</small>}
        </td>
      ))}
      <td>{formatTotal(row)}</td>
      {isDetailed && (
        <td class="nowrap">
          {row.state === 'live' ? 'live, ' : ''}
          <Timestamp at={row.observed_at} />
        </td>
      )}
    </>
  );
}
