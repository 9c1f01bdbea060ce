/** Storage on the status page: the latest day, and the chart. */
import type { StorageView } from '../views/storage-view.ts';
import { toQueryString } from './format.tsx';
import { Section, Tabs } from './section.tsx';
import { StorageFigure, StorageHeadline } from './storage-figure.tsx';

export function StorageSection({ storage }: { storage: StorageView | null }) {
  const empty =
    storage === null
      ? 'No account has storage statistics in the config.'
      : storage.calendar.length === 0
        ? 'No day has been read yet.'
        : undefined;
  return (
    <Section name="storage" heading="Storage" part empty={empty}>
      {storage && <Storage storage={storage} />}
    </Section>
  );
}

function Storage({ storage }: { storage: StorageView }) {
  const { account, accounts, chart } = storage;
  const toFront = (choice: { storage?: string; chart?: string | null }) =>
    `/${toQueryString({ storage: accounts.length > 1 ? account : null, chart: chart.mode === 'level' ? null : chart.mode, ...choice })}#storage`;
  return (
    <>
      <p id="storage-now">
        <StorageHeadline storage={storage} />
      </p>
      <div class="chart-choices">
        {accounts.length > 1 && (
          <Tabs
            label="Accounts"
            current="true"
            tabs={accounts.map((each) => ({
              text: each,
              href: toFront({ storage: each }),
              isCurrent: each === account,
            }))}
          />
        )}
        <Tabs
          label="What the chart shows"
          current="true"
          tabs={[
            { text: 'Level', href: toFront({ chart: null }), isCurrent: chart.mode === 'level' },
            {
              text: 'Change per day',
              href: toFront({ chart: 'change' }),
              isCurrent: chart.mode === 'change',
            },
          ]}
        />
      </div>
      <StorageFigure storage={storage} />
      <p>
        <a href={storage.path({})}>Other ranges, months and days</a>
      </p>
    </>
  );
}
