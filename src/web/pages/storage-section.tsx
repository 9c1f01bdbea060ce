/** Storage by day: the chart, and the last days as a table. */
import type { StorageView } from '../views/status-view.ts';
import { formatTotal } from '../views/storage-calendar.ts';
import { DayTable } from './day-table.tsx';
import { storageDaysPath, toQueryString } from './format.tsx';
import { Section, Tabs } from './section.tsx';

const TABLE_DAYS = 14;

export function StorageSection({ storage }: { storage: StorageView | null }) {
  return (
    <Section name="storage" heading="Storage">
      {storage ? (
        <Storage storage={storage} />
      ) : (
        <p class="soft">No account has storage statistics in the config.</p>
      )}
    </Section>
  );
}

function Storage({ storage }: { storage: StorageView }) {
  const { account, accounts, calendar } = storage;
  const tabs = accounts.map((each) => ({
    text: each,
    href: `/${toQueryString({ storage: each })}#storage`,
    isCurrent: each === account,
  }));
  return (
    <>
      {accounts.length > 1 && <Tabs label="Accounts" tabs={tabs} current="true" />}
      <p id="storage-now" data-part>
        <Latest storage={storage} />
      </p>
      <div id="storage-figure" data-part>
        {calendar.length > 0 && (
          <figure class="chart" data-chart={`/storage.json${toQueryString({ account })}`}>
            <details id="storage-figures">
              <summary>Last days as a table</summary>
              <DayTable label={{ text: 'Storage by day' }} days={calendar.slice(-TABLE_DAYS).reverse()} />
              <p>
                <a href={storageDaysPath(account)}>All days, with counts</a>
              </p>
            </details>
          </figure>
        )}
      </div>
    </>
  );
}

function Latest({ storage: { latest, today } }: { storage: StorageView }) {
  if (!latest) return <>No day has been read yet.</>;
  const isLive = latest.state === 'live';
  const kind = isLive ? 'last reading, not booked yet' : 'last booked day';
  return (
    <>
      <strong>{formatTotal(latest)}</strong> on {latest.date},{' '}
      {isLive && latest.date === today ? 'so far (live)' : kind}
    </>
  );
}
