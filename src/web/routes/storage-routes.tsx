/** The pages of storage, and the data of its chart. */
import { z } from 'zod';
import { StorageDaysPage } from '../pages/storage-days.tsx';
import { textParam } from '../views/query-params.ts';
import { createStorageView } from '../views/status-view.ts';
import { toChartData } from '../views/storage-calendar.ts';
import type { Routing } from './routing.ts';

const yearQuery = z.object({ year: textParam });
const storageQuery = z.object({ account: textParam });

export function addStorageRoutes({ options, frame, page, json }: Routing): void {
  const { clock } = options;
  page('/storage/:account', async ({ params, query }) => {
    const { account } = params as { account: string };
    const storage = createStorageView(options, account, clock.now());
    if (storage?.account !== account) return null;
    return <StorageDaysPage {...frame} storage={storage} year={yearQuery.parse(query).year} />;
  });
  json('/storage.json', (query) => {
    const { account } = storageQuery.parse(query);
    const storage = createStorageView(options, account, clock.now());
    return storage && toChartData(storage);
  });
}
