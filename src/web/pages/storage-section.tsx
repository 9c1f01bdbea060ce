/** Storage over time: the chart, and the same figures as a table. */
import { addDays } from '../../lib/days.ts';
import { formatBinaryBytes } from '../../lib/format.ts';
import type { GapRow, StorageDayRow } from '../../queries/named/storage.ts';
import type { StorageView } from '../status-view.ts';
import { formatByteTitle, toQueryString } from './format.tsx';
import { Table } from './table.tsx';

/** The five sizes of a day (docs/service.md 2.3), as they are stacked from below. */
export const SIZES = [
  ['encoder_size', 'Encoded'],
  ['mov_org_size', 'Originals'],
  ['ad_encoder_size', 'Ad encoded'],
  ['ad_org_size', 'Ad originals'],
  ['image_size', 'Images'],
] as const satisfies readonly (readonly [keyof StorageDayRow, string])[];

/** So many days stand in the table below the chart. */
const DAYS = 14;

export function StorageSection({ storage }: { storage: StorageView | null }) {
  return (
    <section id="storage" class="card" aria-labelledby="storage-heading">
      <h2 id="storage-heading">Storage</h2>
      {storage ? (
        <Storage of={storage} />
      ) : (
        <p class="soft">No account has storage statistics in the config.</p>
      )}
    </section>
  );
}

function Storage({ of: storage }: { of: StorageView }) {
  const { account, accounts, days } = storage;
  const last = days.at(-1);
  return (
    <>
      {accounts.length > 1 && <AccountLinks accounts={accounts} shown={account} />}
      <p id="storage-now" data-part>
        {last ? <Now of={last} today={storage.today} /> : 'No day has been read yet.'}
      </p>
      <div id="storage-figure" data-part>
        {firstDayOf(storage) !== null && (
          <figure class="chart" data-chart={`/storage.json${toQueryString({ account })}`}>
            <details id="storage-figures">
              <summary>The last days as a table</summary>
              <DayTable storage={storage} most={DAYS} />
              <p>
                <a href={`/storage/${encodeURIComponent(account)}`}>All days, with the counts</a>
              </p>
            </details>
          </figure>
        )}
      </div>
    </>
  );
}

function AccountLinks({ accounts, shown }: { accounts: readonly string[]; shown: string }) {
  return (
    <nav class="tabs" aria-label="Accounts">
      {accounts.map((account) => (
        <a
          key={account}
          href={`/${toQueryString({ storage: account })}#storage`}
          aria-current={account === shown ? 'true' : undefined}
        >
          {account}
        </a>
      ))}
    </nav>
  );
}

function Now({ of: day, today }: { of: StorageDayRow; today: string }) {
  const isLive = day.state === 'live';
  const words = isLive ? 'as it was last read; not booked' : 'the last day that is booked';
  const when = isLive && day.date === today ? 'so far (live)' : words;
  return (
    <>
      <strong>{totalSize(day)}</strong> on {day.date}, {when}
    </>
  );
}

/** The five sizes together: what was told of them, and that it is not all where some was not. */
export function totalSize(day: StorageDayRow): string {
  const told = SIZES.flatMap(([name]) => day[name] ?? []);
  if (told.length === 0) return 'not told';
  const together = formatBinaryBytes(told.reduce((sum, size) => sum + size, 0));
  return told.length < SIZES.length ? `at least ${together}` : together;
}

/** The first day to show: known, or known to be missing; null where there is none. */
export function firstDayOf({ days, gaps }: StorageView): string | null {
  return [days[0]?.date, gaps.at(-1)?.date].flatMap((date) => date ?? []).sort()[0] ?? null;
}

/** A day of the calendar: with its figures, or with why there are none. */
type Day = { date: string; row: StorageDayRow } | { date: string; gap: GapRow | null };

/** The last day to show: at least yesterday, so that what was not read since is seen to be missing. */
export function lastDayOf({ days, today }: StorageView): string {
  const [known, yesterday] = [days.at(-1)?.date ?? '', addDays(today, -1)];
  return known > yesterday ? known : yesterday;
}

/** The days from `from` to `to`, the newest first; also those that are not known. */
export function daysOf({ days, gaps }: StorageView, from: string, to: string): Day[] {
  const [known, missed] = [
    new Map(days.map((row) => [row.date, row])),
    new Map(gaps.map((gap) => [gap.date, gap])),
  ];
  const all: Day[] = [];
  for (let date = to; date >= from; date = addDays(date, -1)) {
    const row = known.get(date);
    all.push(row ? { date, row } : { date, gap: missed.get(date) ?? null });
  }
  return all;
}

function DayTable({ storage, most }: { storage: StorageView; most: number }) {
  const [first, last] = [firstDayOf(storage) ?? '', lastDayOf(storage)];
  const from = addDays(last, 1 - most);
  return (
    <Table label={{ words: 'Storage by day' }} class="figures" head={DAY_HEAD}>
      {daysOf(storage, from > first ? from : first, last).map((day) => (
        <DayRow key={day.date} of={day} />
      ))}
    </Table>
  );
}

/** The columns of a table by day. */
export const DAY_HEAD = ['Day', ...SIZES.map(([, words]) => words), 'Together'];

function DayRow({ of: day }: { of: Day }) {
  if (!('row' in day)) {
    return (
      <tr class="gap">
        <th scope="row">{day.date}</th>
        <td colSpan={SIZES.length + 1}>{whyMissing(day.gap)}</td>
      </tr>
    );
  }
  return (
    <tr>
      <th scope="row">
        {day.date}
        {markOf(day.row)}
      </th>
      {SIZES.map(([name]) => (
        <td key={name}>{formatByteTitle(day.row[name])}</td>
      ))}
      <td>{totalSize(day.row)}</td>
    </tr>
  );
}

/** What sets a day apart from one that stands as it was booked. */
export function markOf({ state, is_corrected }: StorageDayRow): string {
  if (state === 'live') return ' (live)';
  return is_corrected === 1 ? ' (corrected)' : '';
}

const MISSING: Record<GapRow['reason'], string> = {
  missing: 'the service did not serve it',
  incomplete: 'the service did not serve a complete record of it',
  unconfirmed: 'its figures are implausible, and wait for a second reading',
};

/** Why there are no figures of a day. */
export function whyMissing(gap: GapRow | null): string {
  if (!gap) return 'not read';
  return gap.given_up_at === null
    ? `${MISSING[gap.reason]}; last asked at ${gap.last_asked_at} UTC`
    : `${MISSING[gap.reason]}; given up at ${gap.given_up_at} UTC`;
}

/** What the chart is drawn from: every day from the first to the last, null where one is not known; sizes in bytes. */
export function chartOf(storage: StorageView) {
  const { account, days, today } = storage;
  const [first, last] = [firstDayOf(storage), days.at(-1)];
  const all = first === null ? [] : daysOf(storage, first, lastDayOf(storage)).reverse();
  return {
    account,
    names: SIZES.map(([, words]) => words),
    dates: all.map(({ date }) => date),
    sizes: SIZES.map(([name]) => all.map((day) => ('row' in day ? day.row[name] : null))),
    live: last?.state === 'live' && last.date === today ? today : null,
  };
}
