/** All days of an account's storage, a year at a time: sizes and counts. */
import { formatCount } from '../../lib/format.ts';
import type { StorageDayRow } from '../../queries/named/storage.ts';
import type { StorageView } from '../status-view.ts';
import { formatByteTitle, Timestamp, toQueryString } from './format.tsx';
import { Page, type PageParts } from './layout.tsx';
import {
  DAY_HEAD,
  daysOf,
  firstDayOf,
  lastDayOf,
  markOf,
  SIZES,
  totalSize,
  whyMissing,
} from './storage-section.tsx';
import { Table } from './table.tsx';

export interface StorageDaysParts extends Pick<PageParts, 'addressOf' | 'mayLeave'> {
  storage: StorageView;
  /** The year that is shown, as `2026`; null: the newest. */
  year: string | null;
}

/** The count beside each size. */
const COUNTS = {
  encoder_size: 'encoder_cnt',
  mov_org_size: 'mov_org_cnt',
  ad_encoder_size: 'ad_encoder_cnt',
  ad_org_size: 'ad_org_cnt',
  image_size: 'image_count',
} as const satisfies Record<(typeof SIZES)[number][0], keyof StorageDayRow>;

export function StorageDaysPage({ storage, year, ...page }: StorageDaysParts) {
  const { account } = storage;
  const [first, last] = [firstDayOf(storage) ?? '', lastDayOf(storage)];
  const years = yearsOf(first, last);
  const shown = year !== null && years.includes(year) ? year : (years[0] ?? '');
  const [from, to] = [`${shown}-01-01`, `${shown}-12-31`];
  return (
    <Page {...page} title={`Storage of ${account} · vodhouse`}>
      <nav class="crumbs" aria-label="Up">
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
        {first === '' ? (
          <p class="soft">No day has been read yet.</p>
        ) : (
          <DaysTable days={daysOf(storage, from > first ? from : first, to < last ? to : last)} />
        )}
      </section>
    </Page>
  );
}

/** The newest first. */
function yearsOf(first: string, last: string): string[] {
  const [from, to] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))];
  return first === '' ? [] : Array.from({ length: to - from + 1 }, (_, index) => String(to - index));
}

function DaysTable({ days }: { days: ReturnType<typeof daysOf> }) {
  return (
    <Table label={{ by: 'days-heading' }} class="figures" head={[...DAY_HEAD, 'Observed (UTC)']}>
      {days.map((day) => (
        <tr key={day.date} class={'row' in day ? undefined : 'gap'}>
          <th scope="row">
            {day.date}
            {'row' in day && day.row.is_corrected === 1 && markOf(day.row)}
          </th>
          {'row' in day ? (
            <Figures of={day.row} />
          ) : (
            <td colSpan={SIZES.length + 2}>{whyMissing(day.gap)}</td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function Figures({ of: row }: { of: StorageDayRow }) {
  return (
    <>
      {SIZES.map(([name]) => {
        const pieces = row[COUNTS[name]];
        return (
          <td key={name}>
            {formatByteTitle(row[name])}
            {pieces !== null && <small class="soft"> {formatCount(pieces)}</small>}
          </td>
        );
      })}
      <td>{totalSize(row)}</td>
      <td class="nowrap">
        {row.state === 'live' ? 'live, ' : ''}
        <Timestamp at={row.observed_at} />
      </td>
    </>
  );
}
