import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { VideoRecord } from '../../src/service/server/catalogue.ts';
import type { StorageDay } from '../../src/service/storage.ts';
import type { Paging, SearchOption } from '../../src/service/videos.ts';

/** 10 March 2026, 12:00 in Seoul. */
export const NOON = Date.parse('2026-03-10T03:00:00Z');

/** A clock that stands still until it is moved. */
export function createStoppedClock(startMs = NOON): Clock & { move(ms: number): void } {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    move: (ms) => void (nowMs += ms),
  };
}

/** An account with a stopped clock, not listening. */
export function makeSandbox(options: Partial<SandboxOptions> = {}): Sandbox {
  return createSandbox({ clock: createStoppedClock(), ...options });
}

export interface VideosBody {
  apiVideoSearchOption: SearchOption;
  videoInfoList: VideoRecord[];
  errorInfo: { errorCode: string; errorMessage: string };
  paging: Paging;
}

/** An account on loopback until the test is over, and both operations asked over HTTP. */
export async function startSandbox(options: Partial<SandboxOptions> = {}) {
  const sandbox = makeSandbox(options);
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const read = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  return {
    sandbox,
    url,
    videos: async (query: string): Promise<VideosBody> => {
      const body = await read(`/info/v1/videos.json?key=${sandbox.key}&${query}`);
      return (body as { videoInfoList: VideosBody }).videoInfoList;
    },
    storage: async (from: string, to: string, more = ''): Promise<StorageDay[]> => {
      const body = await read(`/report/stats/video/storage?sdate=${from}&edate=${to}${more}`);
      return (body as { data: { list: StorageDay[] } }).data.list;
    },
  };
}

/** All videos of a package by id, past HTTP. */
export async function allVideos({ catalogue }: Sandbox, packageId: number): Promise<readonly VideoRecord[]> {
  const sort = { item: 'id', direction: 'asc' } as const;
  const page = await catalogue.videos({ packageId, sort, page: 1, pageSize: 1_000_000 });
  if (!page) throw new Error(`there is no package ${packageId}`);
  return page.records;
}
