/** A service that records the arrival time of every request, and accounts with limits that use it. */
import { setTimeout as pause } from 'node:timers/promises';
import { CONFIG } from '../fixtures/config-file.ts';
import { createFolder } from '../fixtures/folder-of-files.ts';
import { startScriptedService, type Reply, type SeenRequest } from './scripted-service.ts';
import { listPage, videoRecord } from '../fixtures/service-responses.ts';

export interface LimitedAccount {
  /** Also the key of the account. */
  name: string;
  packages?: readonly number[];
  pageSize?: number;
  /** As in the config: `per_second: 5, per_minute: 120`. Limits that are absent are off. */
  limits: string;
}

/** The duration and the outcome of a request. */
export interface Treatment {
  latencyMs: number;
  outcome: 'well' | 'error' | 'drop' | 'truncate' | Reply;
}

const OFF = { concurrency: 4, per_second: 'null', per_minute: 'null', per_day: 'null' };

/** Serves packages of this number of videos; `treat` decides the outcome of each request. */
export async function startStampedService(
  videos: number,
  treat: (request: SeenRequest, account: string) => Treatment,
) {
  const records = Array.from({ length: videos }, (_, index) => videoRecord(index + 1));
  const service = await startScriptedService(async (request) => {
    const { latencyMs, outcome } = treat(request, getAccount(request));
    if (latencyMs > 0) await pause(latencyMs);
    if (typeof outcome === 'object' || outcome === 'hang' || outcome === 'drop') return outcome;
    if (outcome === 'error') return { status: 500, body: 'on fire' };
    const page = listPage(request, records);
    return outcome === 'truncate' ? { ...page, truncateAfter: 100 } : page;
  });
  return {
    url: service.url,
    /** All requests in the order of arrival. */
    arrivals: service.requests,
    getArrivals: (account: string) => service.requests.filter((request) => getAccount(request) === account),
  };
}

/** The account of the request: the name of an account is its key. */
export function getAccount({ query }: SeenRequest): string {
  return query.get('key') ?? '';
}

/** Creates a folder with a config of these accounts. */
export function folderOfAccounts(url: string, accounts: readonly LimitedAccount[]): string {
  const lines = accounts.flatMap(({ name, packages = [101, 102, 103], pageSize = 2, limits }) => [
    `  - name: ${name}`,
    `    video_list: { base_url: ${url}, key: ${name}, page_size: ${pageSize} }`,
    `    packages: [${packages.join(', ')}]`,
    `    limits: { ${allLimits(limits)} }`,
  ]);
  const top = ['warehouse: data/vodhouse.db', 'timezone: Asia/Seoul', 'accounts:'];
  return createFolder({ [CONFIG]: [...top, ...lines, ''].join('\n') });
}

function allLimits(limits: string): string {
  const others = Object.entries(OFF).filter(([name]) => !limits.includes(`${name}:`));
  return [limits, ...others.map(([name, value]) => `${name}: ${value}`)].join(', ');
}
