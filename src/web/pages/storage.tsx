/** The page of storage: the chart in any range, and a table by month that opens to days. */
import { changeSince, sum } from '../charts/storage-chart.ts';
import { formatSizeChange } from '../charts/point-texts.ts';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { StorageDayRow } from '../../queries/named/storage.ts';
import { formatTotal, listMonths, type Month, type MonthDay } from '../views/storage-calendar.ts';
import { MODES, RANGES, type RangeName, type StorageView } from '../views/storage-view.ts';
import { formatSize, Message, Timestamp } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Section, Tabs } from './section.tsx';
import { StorageFigure, StorageHeadline } from './storage-figure.tsx';
import { Table } from './table.tsx';

const RANGE_TEXTS: Record<RangeName, string> = {
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
  all: 'All',
};
const MODE_TEXTS = { level: 'Level', change: 'Change per day' };
const HEAD = ['Month', ...STORAGE_KINDS.map(({ label }) => `>${label}`), '>Total', '>Change', 'Notes'];

export function StoragePage({ storage, ...frame }: PageFrame & { storage: StorageView | null }) {
  return (
    <Page {...frame} title="Storage" current="storage" styles={['chart.css']}>
      <h1>Storage{storage && storage.accounts.length > 1 && <> of {storage.account}</>}</h1>
      {storage === null || storage.calendar.length === 0 ? (
        <p class="soft">
          {storage ? 'No day has been read yet.' : 'No account has storage statistics in the config.'}
        </p>
      ) : (
        <Storage storage={storage} />
      )}
    </Page>
  );
}

function Storage({ storage }: { storage: StorageView }) {
  const { account, accounts, chart, range } = storage;
  return (
    <>
      <p id="storage-now">
        <StorageHeadline storage={storage} />
      </p>
      <section class="card" aria-label="Chart">
        <div class="chart-choices">
          {accounts.length > 1 && (
            <Tabs
              label="Accounts"
              current="true"
              tabs={accounts.map((name) => ({
                text: name,
                href: storage.path({ account: name }),
                isCurrent: name === account,
              }))}
            />
          )}
          <Tabs
            label="What the chart shows"
            current="true"
            tabs={MODES.map((mode) => ({
              text: MODE_TEXTS[mode],
              href: storage.path({ chart: mode }),
              isCurrent: mode === chart.mode,
            }))}
          />
          <Tabs
            label="Days in the chart"
            current="true"
            tabs={(Object.keys(RANGES) as RangeName[]).map((name) => ({
              ...{ text: RANGE_TEXTS[name], href: storage.path({ range: name }), isCurrent: name === range },
            }))}
          />
        </div>
        <StorageFigure storage={storage} />
        <p class="soft">
          <a href={storage.path({}, '.svg')}>Chart as SVG</a> ·{' '}
          <a href={storage.path({}, '.csv')}>Days as CSV</a>
        </p>
      </section>
      <Section name="months" heading="By month">
        <Months storage={storage} />
      </Section>
    </>
  );
}

function Months({ storage }: { storage: StorageView }) {
  const months = listMonths(storage.calendar, storage.chart.days[0]?.date ?? '');
  return (
    <Table label={{ by: 'months-heading' }} class="figures months" head={HEAD}>
      {months.flatMap((month) => [
        <MonthRow key={month.month} month={month} storage={storage} />,
        ...(month.month === storage.month ? month.days.map((day) => <DayRow key={day.date} {...day} />) : []),
      ])}
    </Table>
  );
}

function MonthRow({ month: { month, days, before }, storage }: { month: Month; storage: StorageView }) {
  const isOpen = month === storage.month;
  const last =
    (days.find(({ row }) => row?.state === 'booked') ?? days.find(({ row }) => row !== null))?.row ?? null;
  const missing = days.filter(({ row }) => row === null).length;
  const corrected = days.filter(({ row }) => row?.is_corrected === 1).length;
  const notes = [
    pluralize(days.length, 'day'),
    ...(last?.state === 'live' ? ['not booked yet'] : []),
    ...(missing > 0 ? [`${formatCount(missing)} without figures`] : []),
    ...(corrected > 0 ? [`${formatCount(corrected)} corrected`] : []),
  ];
  return (
    <tr id={`month-${month}`} class={isOpen ? 'open' : undefined}>
      <th scope="row">
        <a href={`${storage.path({ month: isOpen ? null : month })}#month-${month}`} aria-expanded={isOpen}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'} </span>
          {month}
        </a>
      </th>
      <Figures row={last} before={before} />
      <td>{notes.join(', ')}</td>
    </tr>
  );
}

function DayRow({ date, row, before, missing }: MonthDay) {
  if (row === null)
    return (
      <tr class="gap">
        <th scope="row">{date}</th>
        <td colSpan={HEAD.length - 1}>
          <Message text={missing} />
        </td>
      </tr>
    );
  return (
    <tr>
      <th scope="row">{date}</th>
      <Figures row={row} before={before} hasCounts />
      <td class="nowrap">
        {row.state === 'live' ? 'live, ' : ''}
        {row.is_corrected === 1 ? 'corrected, ' : ''}
        <Timestamp at={row.observed_at} />
      </td>
    </tr>
  );
}

interface FiguresProps {
  row: StorageDayRow | null;
  /** What it is compared with. */
  before: StorageDayRow | null;
  hasCounts?: boolean;
}

function Figures({ row, before, hasCounts = false }: FiguresProps) {
  const change = sum(changeSince(before, row));
  return (
    <>
      {STORAGE_KINDS.map(({ size, count }) => (
        <td key={size} class="number">
          {formatSize(row?.[size] ?? null)}
          {hasCounts && row && row[count] !== null && <small class="soft"> {formatCount(row[count])}</small>}
        </td>
      ))}
      <td class="number">{row ? formatTotal(row) : ''}</td>
      <td class="number">{change === null ? '' : formatSizeChange(change)}</td>
    </>
  );
}
