/** The page of storage: growth by month, the level as a line, and the days of a month. */
import { createBars } from '../charts/bars.tsx';
import { StorageSvg } from '../charts/storage-svg.tsx';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import { changeSince, formatTotal, type CalendarDay, type Month } from '../views/storage-days.ts';
import type { StorageView } from '../views/storage-view.ts';
import { describeDelta, formatSize, formatSizeChange, Message, Timestamp } from './format.tsx';
import { Explained } from './glossary.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Section, Tabs } from './section.tsx';
import { Table } from './table.tsx';

export function StoragePage({ storage, ...frame }: PageFrame & { storage: StorageView | null }) {
  return (
    <Page {...frame} title="Storage" current="storage" styles={['chart.css']}>
      <h1>Storage{storage && storage.accounts.length > 1 && <> of {storage.account}</>}</h1>
      {storage === null || storage.months.length === 0 ? (
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
  const { account, accounts, month } = storage;
  return (
    <>
      {accounts.length > 1 && (
        <Tabs
          label="Accounts"
          current="true"
          tabs={accounts.map((name) => ({
            ...{ text: name, href: storage.path({ account: name }), isCurrent: name === account },
          }))}
        />
      )}
      <Headline storage={storage} />
      <div class="growth">
        <Section name="months" heading="Growth by month">
          <Months storage={storage} />
        </Section>
        <Section name="level" heading={month === null ? 'Level by day' : `Level in ${month}`}>
          {month !== null && (
            <a class="more" href={storage.path({ month: null })}>
              All days
            </a>
          )}
          <Level storage={storage} />
        </Section>
      </div>
      {month !== null && (
        <Section name="days" heading={`Days of ${month}`}>
          <Days days={storage.days} />
        </Section>
      )}
    </>
  );
}

/** `36.7 TiB on 2026-11-22, so far (live)`, and what changed in the days that are shown. */
function Headline({ storage: { latest, today, delta } }: { storage: StorageView }) {
  if (!latest) return <p id="storage-now">No day has been read yet.</p>;
  const isLive = latest.state === 'live';
  const kind = isLive ? 'last reading, not booked yet' : 'last booked day';
  return (
    <p id="storage-now">
      <strong>{formatTotal(latest)}</strong> on {latest.date},{' '}
      <Explained text={isLive && latest.date === today ? 'so far (live)' : kind} />
      {delta && (
        <>
          {' · '}
          <strong>{describeDelta(delta)}</strong> from {delta.since} to {delta.until}
        </>
      )}
    </p>
  );
}

function Months({ storage }: { storage: StorageView }) {
  const drawBar = createBars(storage.months.map(({ growth }) => growth ?? 0));
  return (
    <Table
      label={{ by: 'months-heading' }}
      class="months compact"
      head={['Month', '>Growth', '>Level', 'Notes']}
    >
      {storage.months.map((month) => (
        <tr key={month.month} class={month.month === storage.month ? 'open' : undefined}>
          <th scope="row">
            <a
              href={`${storage.path({ month: month.month })}#days`}
              aria-current={month.month === storage.month ? 'true' : undefined}
            >
              {month.month}
            </a>
          </th>
          <td class="number">
            {month.growth !== null && (
              <>
                {drawBar?.(month.growth)}
                {formatSizeChange(month.growth)}
              </>
            )}
          </td>
          <td class="number">{month.last ? formatTotal(month.last) : ''}</td>
          <td class="soft">{listNotes(month).join(', ')}</td>
        </tr>
      ))}
    </Table>
  );
}

function listNotes({ days }: Month): string[] {
  const missing = days.filter(({ row }) => row === null).length;
  const corrected = days.filter(({ row }) => row?.is_corrected === 1).length;
  return [
    ...(days.some(({ row }) => row?.state === 'live') ? ['so far'] : []),
    ...(missing > 0 ? [`▒ ${pluralize(missing, 'gap')}`] : []),
    ...(corrected > 0 ? [`◆ ${formatCount(corrected)} corrected`] : []),
  ];
}

function Level({ storage }: { storage: StorageView }) {
  const { days, live } = storage;
  const missing = days.filter(({ row }) => row === null).length;
  const corrected = days.filter(({ row }) => row?.is_corrected === 1).length;
  return (
    <figure class="chart">
      <div class="chart-plot">
        <StorageSvg chart={storage} />
      </div>
      <figcaption class="soft">
        <ul>
          <li>All files at the end of each day; the axis is fitted to the sizes.</li>
          {missing > 0 && (
            <li>
              ▒ {pluralize(missing, 'day')} without figures: nothing is interpolated; the month has the
              reason.
            </li>
          )}
          {corrected > 0 && (
            <li>◆ {pluralize(corrected, 'day')} corrected after the booking (vodhouse correct).</li>
          )}
          {live !== null && (
            <li>┊ Today is live: it is booked when the day is over, and no growth before.</li>
          )}
          <li>
            <a href={storage.path({}, '.svg')}>Chart as SVG</a> ·{' '}
            <a href={storage.path({}, '.csv')}>Days as CSV</a>
          </li>
        </ul>
      </figcaption>
    </figure>
  );
}

const HEAD = ['Day', '>Change', ...STORAGE_KINDS.map(({ label }) => `>${label}`), '>Total', 'Read'];

/** The latest first. */
function Days({ days }: { days: readonly CalendarDay[] }) {
  const drawBar = createBars(days.map(({ before, row }) => changeSince(before, row) ?? 0));
  return (
    <Table label={{ by: 'days-heading' }} class="figures compact" head={HEAD}>
      {days.toReversed().map((day) => (
        <DayRow key={day.date} day={day} drawBar={drawBar} />
      ))}
    </Table>
  );
}

interface DayRowProps {
  day: CalendarDay;
  drawBar: ReturnType<typeof createBars>;
}

function DayRow({ day: { date, row, before, missing }, drawBar }: DayRowProps) {
  if (row === null)
    return (
      <tr class="gap">
        <th scope="row">{date}</th>
        <td colSpan={HEAD.length - 1}>
          <Message text={missing} />
        </td>
      </tr>
    );
  const change = changeSince(before, row);
  return (
    <tr>
      <th scope="row">{date}</th>
      <td class="number">
        {change !== null && drawBar?.(change)}
        {change === null ? '' : formatSizeChange(change)}
      </td>
      {STORAGE_KINDS.map(({ size, count }) => (
        <td key={size} class="number wide">
          {formatSize(row[size])}
          {row[count] !== null && <small class="soft"> {formatCount(row[count])}</small>}
        </td>
      ))}
      <td class="number">{formatTotal(row)}</td>
      <td class="nowrap wide">
        {row.state === 'live' ? 'live, ' : ''}
        {row.is_corrected === 1 ? 'corrected, ' : ''}
        <Timestamp at={row.observed_at} />
      </td>
    </tr>
  );
}
