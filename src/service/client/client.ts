/** Asks the service: both operations of docs/service.md 4, within the budget, with retries. */
import pLimit from 'p-limit';
import { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { redact } from '../../lib/redact.ts';
import type { SortDirection } from '../videos.ts';
import { readStorageDays, readVideoPage } from './parse-response.ts';
import type { Codes, IsUnchangedPage, StorageDays, VideoPage } from './parse-response.ts';
import { execute, type Connection } from './execute.ts';
import type { Budget, Purpose } from './budget-port.ts';
import { createConnector } from './interim-responses.ts';
import { pageRequest, storageRequest } from './requests.ts';
import { RETRY_POLICY, type RetryPolicy } from './retry.ts';
import { createBufferPool } from './buffer-pool.ts';

/** What the client must know of an account. */
export interface ServiceAccount {
  name: string;
  videoList: { baseUrl: string; key: string };
  /** `auth` says where the key goes; docs/service.md 5 does not show it. */
  storage: { baseUrl: string; auth: 'none' | 'query' | { header: string }; key: string } | null;
  /** Requests in flight at most. */
  concurrency: number;
  codes: Codes;
}

export interface ClientOptions {
  account: ServiceAccount;
  budget: Budget;
  clock: Clock;
  /** Takes the dates of each answer: see ServiceClock. Left out: no request is sent again for them. */
  checkDates?: Connection['checkDates'];
  /** Milliseconds for one whole attempt. */
  deadlineMs?: number;
  /** Bytes of decompressed content. */
  maxBytes?: number;
  retry?: RetryPolicy;
  /** From 0 to 1, for jitter. */
  random?: () => number;
}

/** On whose behalf a request is made. */
export interface RequestContext {
  purpose: Purpose;
  runId: number | null;
  signal?: AbortSignal | undefined;
}

/** One page of one package, sorted by id. `pageSize` is asked for; the answer says which is in effect. */
export interface PageRequest extends RequestContext {
  packageId: number;
  page: number;
  pageSize: number;
  direction?: SortDirection;
  /** Asked before the records are read: true where they are known, and need not be. */
  recognise?: IsUnchangedPage;
}

/** Some days, `yyyy-mm-dd`, both included. */
export interface StorageRequest extends RequestContext {
  from: string;
  to: string;
}

/** An answer, and when it was there in milliseconds since 1970. */
export type WithReceivedAt<T> = T & { answeredAt: number };

export interface ServiceClient {
  /** Service.md 4.1. Throws TransientError (retries spent), RefusedError, ParkedError. */
  videoPage(request: PageRequest): Promise<WithReceivedAt<VideoPage>>;
  /** Service.md 4.2, days `yyyy-mm-dd`, both included. Throws as above. */
  storageDays(request: StorageRequest): Promise<WithReceivedAt<StorageDays>>;
  close(): Promise<void>;
}

/** Creates the client of one account; its connections are kept open between requests. */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { account } = options;
  const connection = createConnection(options);
  const { codes } = account;
  const clean = (text: string) => redact(text, connection.secrets);
  return {
    videoPage: (request) =>
      execute(connection, pageRequest(account, request), (content) =>
        readVideoPage(content, { codes, clean }, request.recognise),
      ),
    storageDays: async (request) =>
      execute(connection, storageRequest(account, request), (content) =>
        readStorageDays(content, { codes, clean }),
      ),
    close: () => connection.agent.destroy(),
  };
}

function createConnection({ account, budget, clock, ...options }: ClientOptions): Connection {
  const { concurrency: connections } = account;
  return {
    agent: new Agent({
      connections,
      connect: createConnector({ timeout: 10_000 }),
      keepAliveTimeout: 30_000,
    }),
    rooms: createBufferPool(),
    inFlight: pLimit(connections),
    budget,
    clock,
    checkDates: options.checkDates ?? (() => null),
    deadlineMs: options.deadlineMs ?? 30_000,
    maxBytes: options.maxBytes ?? 32 * 1024 * 1024,
    retry: options.retry ?? RETRY_POLICY,
    random: options.random ?? Math.random,
    secrets: [account.videoList.key, account.storage?.key ?? ''],
    lastRefusal: null,
  };
}
