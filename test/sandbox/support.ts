import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { expectDescribed } from '../support/described.ts';
import { allRecords } from '../support/looks.ts';
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
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}${path}`);
    const body: unknown = await response.json();
    expectDescribed(path, response.status, body);
    return body;
  };
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
export function allVideos({ catalogue }: Sandbox, packageId: number): Promise<readonly VideoRecord[]> {
  return allRecords(catalogue, packageId);
}
