/** Storage by day: the chart, and the last days as a table. */
import type { StorageDayRow } from '../../queries/named/storage.ts';
import type { StorageView } from '../status-view.ts';
import { formatTotal, SIZES, type CalendarDay } from '../storage-calendar.ts';
import { formatSize, toQueryString } from './format.tsx';
import { Table } from './table.tsx';

/** The number of days in the table. */
const TABLE_DAYS = 14;

export function StorageSection({ storage }: { storage: StorageView | null }) {
  return (
    <section id="storage" class="card" aria-labelledby="storage-heading">
      <h2 id="storage-heading">Storage</h2>
      {storage ? (
        <Storage storage={storage} />
      ) : (
        <p class="soft">No account has storage statistics in the config.</p>
      )}
    </section>
  );
}

function Storage({ storage: { account, accounts, latest, calendar, today } }: { storage: StorageView }) {
  return (
    <>
      {accounts.length > 1 && <AccountLinks accounts={accounts} shown={account} />}
      <p id="storage-now" data-part>
        {latest ? <Latest row={latest} today={today} /> : 'No day has been read yet.'}
      </p>
      <div id="storage-figure" data-part>
        {calendar.length > 0 && (
          <figure class="chart" data-chart={`/storage.json${toQueryString({ account })}`}>
            <details id="storage-figures">
              <summary>Last days as a table</summary>
              <Table label={{ text: 'Storage by day' }} class="figures" head={DAY_HEAD}>
                {calendar
                  .slice(-TABLE_DAYS)
                  .reverse()
                  .map((day) => (
                    <DayRow key={day.date} day={day} />
                  ))}
              </Table>
              <p>
                <a href={`/storage/${encodeURIComponent(account)}`}>All days, with counts</a>
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

function Latest({ row, today }: { row: StorageDayRow; today: string }) {
  const isLive = row.state === 'live';
  const kind = isLive ? 'last reading, not booked yet' : 'last booked day';
  return (
    <>
      <strong>{formatTotal(row)}</strong> on {row.date},{' '}
      {isLive && row.date === today ? 'so far (live)' : kind}
    </>
  );
}

/** The columns of a table by day. */
export const DAY_HEAD = ['Day', ...SIZES.map(([, label]) => label), 'Total'];

function DayRow({ day: { date, ...day } }: { day: CalendarDay }) {
  if (!day.row) {
    return (
      <tr class="gap">
        <th scope="row">{date}</th>
        <td colSpan={SIZES.length + 1}>{day.missing}</td>
      </tr>
    );
  }
  const { row } = day;
  const mark = row.state === 'live' ? ' (live)' : row.is_corrected === 1 ? ' (corrected)' : '';
  return (
    <tr>
      <th scope="row">
        {date}
        {mark}
      </th>
      {SIZES.map(([name]) => (
        <td key={name}>{formatSize(row[name])}</td>
      ))}
      <td>{formatTotal(row)}</td>
    </tr>
  );
}
