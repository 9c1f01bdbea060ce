/** The page with all storage days of an account, a year at a time: sizes and counts. */
import type { StorageView } from '../views/status-view.ts';
import { DayTable } from './day-table.tsx';
import { storageDaysPath, toQueryString } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Tabs } from './section.tsx';

interface StorageDaysProps extends PageFrame {
  storage: StorageView;
  /** `2026`; null: the latest. */
  year: string | null;
}

export function StorageDaysPage({ storage: { account, calendar }, year, ...frame }: StorageDaysProps) {
  const years = [...new Set(calendar.map(({ date }) => date.slice(0, 4)))].reverse();
  const shown = year !== null && years.includes(year) ? year : (years[0] ?? '');
  const days = calendar.filter(({ date }) => date.startsWith(shown)).reverse();
  const tabs = years.map((each) => ({
    text: each,
    href: storageDaysPath(account) + toQueryString({ year: each }),
    isCurrent: each === shown,
  }));
  return (
    <Page
      {...frame}
      title={`Storage of ${account}`}
      crumbs={[{ text: 'Storage', href: `/${toQueryString({ storage: account })}#storage` }]}
    >
      <h1 id="days-heading">Storage of {account}</h1>
      <Tabs label="Years" tabs={tabs} />
      <section class="card">
        {days.length === 0 ? (
          <p class="soft">No day has been read yet.</p>
        ) : (
          <DayTable label={{ by: 'days-heading' }} days={days} isDetailed />
        )}
      </section>
    </Page>
  );
}
