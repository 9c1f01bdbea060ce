import { onTestFinished } from 'vitest';
import {
  packageNotFound,
  type Catalogue,
  type StorageRange,
  type VideoQuery,
  type VideoRecord,
} from '../../../src/service/server/catalogue.ts';
import { createServiceServer, type ServiceServerOptions } from '../../../src/service/server/server.ts';
import type { StorageDay } from '../../../src/service/storage.ts';
import { expectDescribed } from '../openapi-document.ts';

export const KEY = 'k1';

/** A catalogue that records its queries: package 1 has `records`, and storage has `days`. */
export function createFixture(records: readonly VideoRecord[] = [], days: readonly StorageDay[] = []) {
  const queries: VideoQuery[] = [];
  const ranges: StorageRange[] = [];
  const catalogue: Catalogue = {
    videos: (query) => {
      queries.push(query);
      return query.packageId === 1
        ? { totalcount: records.length, records }
        : packageNotFound(query.packageId);
    },
    storage: (range) => {
      ranges.push(range);
      return { days };
    },
  };
  return { catalogue, queries, ranges };
}

/** A server on loopback until the end of the test; `videos` returns the body of a response. */
export async function startServer(options: Partial<ServiceServerOptions> & { catalogue: Catalogue }) {
  const server = createServiceServer({ keys: [KEY], defaultPageSize: 20, maxPageSize: 1000, ...options });
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return { url, server, videos: (query: string) => getVideos(`${url}/info/v1/videos.json?${query}`) };
}

export interface VideosBody {
  apiVideoSearchOption: Record<string, string>;
  videoInfoList: VideoRecord[];
  errorInfo: { errorCode: string; errorMessage: string };
  paging: { page: number; pagesize: number; totalcount: number; totalpage: number };
}

export async function getVideos(url: string): Promise<VideosBody> {
  const response = await fetch(url);
  const body = (await response.json()) as { videoInfoList: VideosBody };
  expectDescribed(new URL(url).pathname, response.status, body);
  return body.videoInfoList;
}

export interface StorageBody {
  message: string;
  data: { list: StorageDay[] };
}

/** Returns the status, text and parsed body of a storage response. */
export async function getStorage(url: string, query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/report/stats/video/storage?${query}`, { headers });
  const text = await response.text();
  const body = JSON.parse(text) as StorageBody;
  expectDescribed(new URL(response.url).pathname, response.status, body);
  return { status: response.status, text, body };
}
