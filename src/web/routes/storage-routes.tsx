/** The page of storage, its chart as an image, and its days as CSV. */
import { renderToString } from 'preact-render-to-string';
import { StorageImage } from '../charts/storage-svg.tsx';
import { StoragePage } from '../pages/storage.tsx';
import { createStorageView, storageQuery, toCsv } from '../views/storage-view.ts';
import type { Routing } from './routing.ts';

export function addStorageRoutes({ options, frame, page, download }: Routing): void {
  const read = (query: unknown) => createStorageView(options, storageQuery.parse(query), options.clock.now());
  page('/storage', async ({ query }) => <StoragePage {...frame} storage={read(query)} />);
  download('/storage.svg', async ({ query }) => {
    const storage = read(query);
    const type = 'image/svg+xml';
    return storage && { type, fileName: null, text: renderToString(<StorageImage chart={storage} />) };
  });
  download('/storage.csv', async ({ query }) => {
    const storage = read(query);
    const type = 'text/csv; charset=utf-8';
    return storage && { type, fileName: `storage-${storage.account}.csv`, text: toCsv(storage) };
  });
}
