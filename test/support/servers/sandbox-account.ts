/** Sandbox accounts, on loopback until the end of the test or without a server. */
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { createVirtualClock } from '../clocks/virtual-clock.ts';
import { allRecords } from '../fixtures/json-page.ts';
import { VIDEO_LIST } from '../fixtures/service-responses.ts';
import { getStorage, getVideos } from './plain-catalogue.ts';

/** 10 March 2026, 12:00 in Seoul. */
export const NOON = Date.parse('2026-03-10T03:00:00Z');

const PACKAGES = [
  { id: 101, videos: 250 },
  { id: 102, videos: 30 },
  { id: 103, videos: 0 },
];

/** An account with the packages of the demo and a stopped clock, without a server. */
export const makeSandbox = (options: Partial<SandboxOptions> = {}): Sandbox =>
  createSandbox({ clock: createVirtualClock(NOON), ...options });

/** Serves an account, by default one with three small packages. */
export const startSandbox = (options: Partial<SandboxOptions> = {}) =>
  serveSandbox(createSandbox({ clock: systemClock, packages: PACKAGES, ...options }));

/** Serves an account, with functions that send both requests over HTTP. */
export async function serveSandbox(sandbox: Sandbox) {
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  return {
    url,
    sandbox,
    videos: (query: string) => getVideos(`${url}${VIDEO_LIST}?key=${sandbox.key}&${query}`),
    storage: async (from: string, to: string, more = '') =>
      (await getStorage(url, `sdate=${from}&edate=${to}${more}`)).body.data.list,
  };
}

/** All videos of a package by id, without HTTP. */
export const allVideos = ({ catalogue }: Sandbox, packageId: number) => allRecords(catalogue, packageId);
