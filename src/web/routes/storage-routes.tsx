/** The page of storage, its chart as an image, its days as CSV, and the texts of its points. */
import { renderToString } from 'preact-render-to-string';
import { describeChart, describePoints } from '../charts/point-texts.ts';
import { StorageImage } from '../charts/storage-svg.tsx';
import { StoragePage } from '../pages/storage.tsx';
import { storagePath } from '../views/paths.ts';
import { toCsv } from '../views/storage-csv.ts';
import { createStorageView, storageQuery } from '../views/storage-view.ts';
import type { Routing } from './routing.ts';

export function addStorageRoutes({ options, frame, page, json, download }: Routing): void {
  const { clock } = options;
  const read = (query: unknown) => createStorageView(options, storageQuery.parse(query), clock.now());
  page('/storage', async ({ query }) => <StoragePage {...frame} storage={read(query)} />);
  json('/storage.json', (query) => {
    const storage = read(query);
    return storage && describePoints(storage.chart);
  });
  download('/storage.svg', async ({ query }) => {
    const storage = read(query);
    if (!storage) return null;
    const { chart } = storage;
    const heading = `${chart.mode === 'level' ? 'Storage' : 'Change of the storage'} of ${chart.account}`;
    const text = renderToString(
      <StorageImage chart={chart} label={describeChart(chart)} heading={heading} />,
    );
    return { type: 'image/svg+xml', fileName: null, text };
  });
  download('/storage.csv', async ({ query }) => {
    const storage = read(query);
    const type = 'text/csv; charset=utf-8';
    return storage && { type, fileName: `storage-${storage.account}.csv`, text: toCsv(storage) };
  });
  // an address of earlier versions
  download('/storage/:account', async ({ params }) => {
    const { account } = params as { account: string };
    return read({ account })?.account === account ? { seeOther: storagePath({ account }) } : null;
  });
}
