/** The page with all storage days of an account, a year at a time: sizes and counts. */
import { formatCount } from '../../lib/format.ts';
import type { StorageDayRow } from '../../queries/named/storage.ts';
import type { StorageView } from '../status-view.ts';
import { formatTotal, SIZES, type CalendarDay } from '../storage-calendar.ts';
import { formatSize, Timestamp, toQueryString } from './format.tsx';
import { Page, type PageProps } from './layout.tsx';
import { DAY_HEAD } from './storage-section.tsx';
import { Table } from './table.tsx';

interface StorageDaysProps extends Pick<PageProps, 'assetUrl' | 'showLogout'> {
  storage: StorageView;
  /** `2026`; null: the latest. */
  year: string | null;
}

/** The count that belongs to each size. */
const COUNTS = {
  encoder_size: 'encoder_cnt',
  mov_org_size: 'mov_org_cnt',
  ad_encoder_size: 'ad_encoder_cnt',
  ad_org_size: 'ad_org_cnt',
  image_size: 'image_count',
} as const satisfies Record<(typeof SIZES)[number][0], keyof StorageDayRow>;

export function StorageDaysPage({ storage: { account, calendar }, year, ...page }: StorageDaysProps) {
  const years = [...new Set(calendar.map(({ date }) => date.slice(0, 4)))].reverse();
  const shown = year !== null && years.includes(year) ? year : (years[0] ?? '');
  const days = calendar.filter(({ date }) => date.startsWith(shown)).reverse();
  return (
    <Page {...page} title={`Storage of ${account} · vodhouse`}>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={`/${toQueryString({ storage: account })}#storage`}>Storage</a>
      </nav>
      <h1 id="days-heading">Storage of {account}</h1>
      <nav class="tabs" aria-label="Years">
        {years.map((each) => (
          <a
            key={each}
            href={`/storage/${encodeURIComponent(account)}${toQueryString({ year: each })}`}
            aria-current={each === shown ? 'page' : undefined}
          >
            {each}
          </a>
        ))}
      </nav>
      <section class="card">
        {days.length === 0 ? <p class="soft">No day has been read yet.</p> : <DaysTable days={days} />}
      </section>
    </Page>
  );
}

function DaysTable({ days }: { days: readonly CalendarDay[] }) {
  return (
    <Table label={{ by: 'days-heading' }} class="figures" head={[...DAY_HEAD, 'Observed (UTC)']}>
      {days.map((day) => (
        <tr key={day.date} class={day.row ? undefined : 'gap'}>
          <th scope="row">
            {day.date}
            {day.row?.state === 'booked' && day.row.is_corrected === 1 && ' (corrected)'}
          </th>
          {day.row ? <DayCells row={day.row} /> : <td colSpan={SIZES.length + 2}>{day.missing}</td>}
        </tr>
      ))}
    </Table>
  );
}

function DayCells({ row }: { row: StorageDayRow }) {
  return (
    <>
      {SIZES.map(([name]) => {
        const count = row[COUNTS[name]];
        return (
          <td key={name}>
            {formatSize(row[name])}
            {count !== null && <small class="soft"> {formatCount(count)}</small>}
          </td>
        );
      })}
      <td>{formatTotal(row)}</td>
      <td class="nowrap">
        {row.state === 'live' ? 'live, ' : ''}
        <Timestamp at={row.observed_at} />
      </td>
    </>
  );
}
