/**
 * The page of storage: growth by month, the level as a line, and the days of a month; its image and its CSV.
 */
import { renderToString } from 'preact-render-to-string';
import * as z from 'zod';
import { formatCount, pluralize } from '../../lib/format.ts';
import { GAPS, STORAGE_DAYS } from '../../queries/named/storage.ts';
import { findAxisStart, StorageImage, StorageSvg } from '../charts/storage-svg.tsx';
import { storagePath } from './paths.ts';
import { findToday, optional, textParam, type PageSources, type Routing } from './routing.ts';
import {
  buildCalendar,
  findDelta,
  formatTotal,
  listMonths,
  sumCalendars,
  sumRows,
  type AccountCalendar,
  type Month,
} from '../charts/storage-days.ts';
import { describeDelta } from './format.tsx';
import { Page } from './layout.tsx';
import { Section, Tabs } from './section.tsx';
import { createGrowthBars, Days, toCsv } from './storage-day-list.tsx';
import { Table } from './table.tsx';

/** `account` null: all together. `month`: shown by day, `2026-11`; null: all days. */
const storageQuery = z.object({ account: textParam, month: optional(z.string().regex(/^\d{4}-\d{2}$/)) });

/** More than the days of a thousand years. */
const ALL_DAYS = 1e6;

type Storage = NonNullable<ReturnType<typeof readStorage>>;

export function addStoragePages({ sources, frame, page, download }: Routing): void {
  page('/storage', async ({ query }) => {
    const storage = readStorage(sources, query);
    const title = storage && storage.accounts.length > 1 ? `Storage of ${storage.name}` : 'Storage';
    return (
      <Page {...frame} title={title} current="storage" styles={['chart.css']}>
        <h1>{title}</h1>
        {storage && storage.unknown !== null && (
          <p class="notice">
            No account <bdi>{storage.unknown}</bdi> has storage in the config.
          </p>
        )}
        {storage === null || storage.months.length === 0 ? (
          <p class="soft">
            {storage ? 'No day has been read yet.' : 'No account has storage statistics in the config.'}
          </p>
        ) : (
          <StorageParts storage={storage} />
        )}
      </Page>
    );
  });
  download('/storage.svg', ({ query }) => {
    const storage = readStorage(sources, query);
    if (storage === null || storage.unknown !== null) return null;
    const content = renderToString(<StorageImage chart={storage} />);
    return { type: 'image/svg+xml', fileName: null, content };
  });
  download('/storage.csv', ({ query }) => {
    const storage = readStorage(sources, query);
    if (storage === null || storage.unknown !== null) return null;
    const fileName = `storage-${storage.account ?? 'all'}.csv`;
    return { type: 'text/csv; charset=utf-8', fileName, content: toCsv(storage.days) };
  });
}

/** The last `limit` days of each account that has storage in the config. */
export function readCalendars({ config, db, clock }: PageSources, limit: number): AccountCalendar[] {
  const today = findToday(config, clock.now());
  return config.accounts.flatMap(({ name: account, storage }) => {
    if (storage === null) return [];
    const rows = STORAGE_DAYS.all(db, { account, limit }).reverse();
    const gaps = GAPS.all(db, { account, since: storage.since ?? '' });
    const calendar = buildCalendar(rows, gaps, today);
    return { account, calendar, latest: calendar.findLast(({ row }) => row !== null)?.row ?? null };
  });
}

/** The account of the query, else all together; null if no account has storage. */
function readStorage(sources: PageSources, given: unknown) {
  const query = storageQuery.parse(given);
  const accounts = readCalendars(sources, ALL_DAYS);
  const asked = accounts.find(({ account }) => account === query.account);
  const [first, second] = accounts;
  if (!first) return null;
  const one = asked ?? (second ? null : first);
  const shown = one ? [one] : accounts.filter(({ latest }) => latest !== null);
  const latest = shown.flatMap((each) => each.latest ?? []);
  const calendar = one?.calendar ?? sumCalendars(shown);
  const months = listMonths(calendar);
  const open = months.find(({ month }) => month === query.month) ?? null;
  /** The days that are shown, the oldest first. */
  const days = open?.days ?? calendar;
  return {
    /** Null: all together. */
    account: one?.account ?? null,
    name: one?.account ?? 'all accounts',
    /** What the query names, but the config has no storage of. */
    unknown: asked ? null : query.account,
    months,
    days,
    accounts,
    latest: sumRows(latest),
    /** The latest figures of all accounts are of one day. */
    isOfOneDay: new Set(latest.map(({ date }) => date)).size < 2,
    /** The month that is shown by day; null: all days are shown. */
    month: open?.month ?? null,
    /** Today, if it is shown and its sizes may still change. */
    live: days.find(({ row }) => row?.state === 'live')?.date ?? null,
  };
}

function StorageParts({ storage }: { storage: Storage }) {
  const { account: shown, accounts, month, days } = storage;
  return (
    <>
      {accounts.length > 1 && (
        <Tabs
          label="Accounts"
          tabs={[null, ...accounts.map(({ account }) => account)].map((account) => ({
            text: account ?? 'All',
            href: storagePath({ account, month }),
            isCurrent: account === shown,
          }))}
        />
      )}
      <Headline storage={storage} />
      {shown === null && <Accounts accounts={accounts} />}
      <div class="growth">
        <Section name="months" heading="Growth by month">
          <Months storage={storage} />
        </Section>
        <Section name="level" heading={month === null ? 'Level by day' : `Level in ${month}`}>
          {month !== null && (
            <a class="more" href={storagePath({ account: shown })}>
              All days
            </a>
          )}
          <Level storage={storage} />
        </Section>
      </div>
      {month !== null && (
        <Section name="days" heading={`Days of ${month}`}>
          <Days days={days} />
        </Section>
      )}
    </>
  );
}

/** After the day of the latest figures. */
const AS_OF = { booked: '', live: ', so far', provisional: ', not booked yet' };

/** A line for each account: its latest level, and by how much it grew in all its days. */
function Accounts({ accounts }: Pick<Storage, 'accounts'>) {
  const rows = accounts.map((each) => ({ ...each, delta: findDelta(each.calendar) }));
  return (
    <Section name="accounts" heading="Accounts">
      <Table
        label={{ by: 'accounts-heading' }}
        class="months compact"
        rows={rows}
        columns={[
          ['Account', ({ account }) => <a href={storagePath({ account })}>{account}</a>],
          ['Level', ({ latest }) => (latest ? formatTotal(latest) : 'not read yet'), 'number'],
          ['On', ({ latest }) => latest && `${latest.date}${AS_OF[latest.state]}`],
          ['Growth', ({ delta }) => delta && describeDelta(delta), 'number wide'],
          ['Since', ({ delta }) => delta?.since, 'wide'],
        ]}
      />
    </Section>
  );
}

/** `36.7 TiB on 2026-11-22, so far (live)`, and what changed in the days that are shown. */
function Headline({ storage: { latest, isOfOneDay, days } }: { storage: Storage }) {
  if (!latest) return <p id="storage-now">No day has been read yet.</p>;
  const kind = latest.state === 'booked' ? 'last booked day' : 'last reading, not booked yet';
  const delta = findDelta(days);
  return (
    <p id="storage-now">
      <strong>{formatTotal(latest)}</strong>
      {isOfOneDay
        ? ` on ${latest.date}, ${latest.state === 'live' ? 'so far (live)' : kind}`
        : ', the latest figures of each account'}
      {delta && (
        <>
          {' · '}
          <strong>{describeDelta(delta)}</strong> from <span class="nowrap">{delta.since}</span> to{' '}
          <span class="nowrap">{delta.until}</span>
        </>
      )}
    </p>
  );
}

function Months({ storage: { account, months, month: open } }: { storage: Storage }) {
  const showGrowth = createGrowthBars(months.map(({ growth }) => growth));
  const showMonth = ({ month }: Month) => (
    <a href={`${storagePath({ account, month })}#days`} aria-current={month === open ? 'true' : undefined}>
      {month}
    </a>
  );
  return (
    <Table
      label={{ by: 'months-heading' }}
      class="months"
      isNarrow
      rows={months}
      columns={[
        ['Month', showMonth],
        ['Growth', ({ growth }) => showGrowth(growth), 'number'],
        ['Level', ({ last }) => last && formatTotal(last), 'number'],
        ['Notes', (month) => listNotes(month).join(', '), 'soft'],
      ]}
    />
  );
}

function listNotes({ days }: Pick<Month, 'days'>): string[] {
  const missing = days.filter(({ row }) => row === null).length;
  const corrected = days.filter(({ row }) => row?.is_corrected === 1).length;
  return [
    ...(days.some(({ row }) => row?.state === 'live') ? ['so far'] : []),
    ...(missing > 0 ? [pluralize(missing, 'gap')] : []),
    ...(corrected > 0 ? [`${formatCount(corrected)} corrected`] : []),
  ];
}

function Level({ storage }: { storage: Storage }) {
  const { account, month, days } = storage;
  return (
    <figure class="chart">
      <div class="chart-plot">
        <StorageSvg chart={storage} />
      </div>
      <figcaption class="soft">
        <p>All files at the end of each day. The axis begins at {findAxisStart(days)}.</p>
        {days.some(({ row }) => row === null) && (
          <p>Grey days have no figures, and none are made up. Their month has the reason.</p>
        )}
        <a href={storagePath({ account, month }, '.svg')}>Chart as SVG</a> ·{' '}
        <a href={storagePath({ account, month }, '.csv')}>Days as CSV</a>
      </figcaption>
    </figure>
  );
}
