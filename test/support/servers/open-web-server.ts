/** The web server over a live file with known content, at noon of 10 March 2026 in UTC. */
import { expect, onTestFinished } from 'vitest';
import type { Config, ServerConfig } from '../../../src/config/config.ts';
import { openWebServer, type WebEnvironment } from '../../../src/web/server.ts';
import { load } from '../fixtures/load-config.ts';
import {
  copiesOf,
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../fixtures/filled-live-file.ts';
import { createVirtualClock } from '../clocks/virtual-clock.ts';

export const VIDEOS = '/info/v1/videos.json';
export const STORAGE = '/report/stats/video/storage';
/** A key that `server.keys` may have. */
export const KEY = 'server-key-of-20-char';
/** The storage of March. */
export const DAYS = `${STORAGE}?sdate=2026-03-01&edate=2026-03-31`;
/** In front of a path: the account `main`. */
export const MAIN = '/accounts/main';

/** The keys of the service: the server must neither accept nor reveal them. */
export const SERVICE_KEYS = ['first-secret', 'second-secret', 'third-secret', 'fourth-secret'];

export type ServedConfig = Config & { server: ServerConfig };

/**
 * `main` and `other` have storage and a package 101, `alone` has package 7 and no storage. No run has listed
 * package 103 of `main`, no walk of 102 was completed, and 500 is no longer in the config.
 */
export function configToServe(live: string, keys: readonly string[] = [], lines = ''): ServedConfig {
  const config = load(`warehouse: ${live}
timezone: Asia/Seoul
accounts:
  - name: main
    video_list: { base_url: https://videos.example.test, key: first-secret }
    storage: { base_url: https://reports.example.test, auth: { header: X-Main-Key }, key: second-secret }
    packages: [101, 102, 103, 104]
  - name: other
    video_list: { base_url: https://videos.example.test, key: third-secret }
    storage: { base_url: https://reports.example.test }
    packages: [101]
  - name: alone
    video_list: { base_url: https://videos.example.test, key: fourth-secret }
    packages: [7]
server: { port: 0, title: "Vodhouse test", keys: ${JSON.stringify(keys)} }
${lines}`);
  if (!config.server) throw new Error('the config has no server');
  return { ...config, server: config.server };
}

const walked = (account: string, live_count: number) => ({
  account,
  live_count,
  walked_at: '2026-03-10 11:30:00',
  first_walked_at: '2026-03-01 00:00:00',
});
/** Below the `change_seq` of any change that a test makes, whatever other files of its worker have counted. */
let changes = 0;
const createVideos = (account: string, package_id: number, ids: readonly number[]) =>
  ids.map((id) => {
    const title = `${account} ${id} ${'가나다 '.repeat(id)}`;
    return videoRow(id, { account, package_id, title, change: 'imported', change_seq: ++changes });
  });
const RETIRED_AT = '2026-03-09 00:00:00';
const read = (account: string) =>
  insert('storage_reading', { account, observed_at: '2026-03-10 11:30:00', date: '2026-03-10' });

/** A live file for `configToServe`: 60 videos in 104 of `main`, two or three in the other packages. */
export const liveFileToServe = copiesOf(() =>
  liveFileWith(
    packageRow(101, walked('main', 2)),
    packageRow(102),
    packageRow(104, walked('main', 60)),
    packageRow(500, { ...walked('main', 0), last_count: 1, retired_at: RETIRED_AT }),
    packageRow(101, walked('other', 3)),
    packageRow(7, walked('alone', 1)),
    ...createVideos('main', 101, [1, 2]),
    ...createVideos('main', 102, [1, 2]),
    ...createVideos(
      'main',
      104,
      Array.from({ length: 60 }, (_, index) => index + 1),
    ),
    ...createVideos('main', 500, [1]),
    `update video set removed_at = '${RETIRED_AT}', changed_at = '${RETIRED_AT}', change = 'retired', change_seq = ${++changes}
      where package_id = 500;`,
    ...createVideos('other', 101, [3, 4, 5]),
    ...createVideos('alone', 7, [6]),
    storageRow('2026-03-08', 1_000),
    storageRow('2026-03-08', 2_000, { account: 'other' }),
    read('main'),
    read('other'),
  ),
);

/** Serves until the end of the test. `errors` are those that the server reported. */
export async function openSiteOver(config: ServedConfig, parts: Partial<WebEnvironment> = {}) {
  const clock = createVirtualClock('2026-03-10T12:00:00Z');
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const serving = await openWebServer(config, { clock, workerDeadReason: () => null, onError, ...parts });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= serving.close());
  onTestFinished(close);
  return { url: serving.url, clock, errors, close };
}

/** Serves a new live file. */
export const openSite = (keys: readonly string[] = [], parts: Partial<WebEnvironment> = {}) =>
  openSiteOver(configToServe(liveFileToServe(), keys), parts);

/** Returns the status, text and headers of the response. */
export async function fetchResponse(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Returns the `errorInfo` of a video list, and the ids of its records. */
export async function fetchVideos(url: string, headers: Readonly<Record<string, string>> = {}) {
  const { status, text } = await fetchResponse(url, headers);
  expect(status).toBe(200);
  const { videoInfoList } = JSON.parse(text) as {
    videoInfoList: {
      errorInfo: Record<'errorCode' | 'errorMessage', string>;
      videoInfoList: { id: number }[];
    };
  };
  return { ...videoInfoList.errorInfo, ids: videoInfoList.videoInfoList.map(({ id }) => id) };
}

/** Returns the `message` of the storage statistics, and the total bytes by date. */
export async function fetchStorage(url: string, headers: Readonly<Record<string, string>> = {}) {
  const { status, text } = await fetchResponse(url, headers);
  expect(status).toBe(200);
  const { message, data } = JSON.parse(text) as {
    message: string;
    data: { list: { date: string; mov_org_size: number }[] };
  };
  return { message, days: data.list.map(({ date, mov_org_size }) => [date, mov_org_size]) };
}
