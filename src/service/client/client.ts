/**
 * The client of the service: both operations of docs/service.md 4, within the budget, with retries. The key
 * is sent only where the account's config places it.
 */
import pLimit from 'p-limit';
import { createAgent } from '../../lib/http/agent.ts';
import { listProxySecrets, NO_PROXIES, type Proxies } from '../../lib/http/proxies.ts';
import { redact } from '../../lib/redact.ts';
import { STORAGE_ANSWER, STORAGE_PATH } from '../storage.ts';
import { VIDEO_LIST_PATH, type SortDirection } from '../videos.ts';
import { execute, type ApiRequest, type Connection, type RequestContext } from './execute.ts';
import {
  readPageIfChanged,
  readRecordList,
  readVideoPage,
  type ErrorCodes,
  type KnownPage,
  type ReadPage,
} from './parse-response.ts';
import { RETRY_POLICY } from './retry.ts';

/** What the client must know of an account. */
export interface ServiceAccount {
  name: string;
  /** `exclude`: fields of a video that are not read. */
  videoList: { baseUrl: string; key: string; exclude: readonly string[] };
  /** `auth`: where a request carries the key, which docs/service.md 5 does not document. */
  storage: {
    baseUrl: string;
    auth: 'none' | 'query' | { header: string };
    key: string;
  } | null;
  /** Default: none. */
  proxies?: Proxies;
  /** Certificates in PEM that are trusted besides Node's own. */
  ca?: readonly string[] | null;
  /** Requests in flight at most. */
  concurrency: number;
  codes: ErrorCodes;
}

/** One page of one package, sorted by id. The response says which page size is in effect. */
export interface PageRequest extends RequestContext {
  packageId: number;
  page: number;
  pageSize: number;
  direction?: SortDirection;
}

/** Some days, `yyyy-mm-dd`, both included. */
export interface StorageRequest extends RequestContext {
  from: string;
  to: string;
}

/** How long opening a connection may take. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long one complete attempt may take. */
const DEADLINE_MS = 30_000;
/** The most bytes of a response, decompressed. */
const MAX_BYTES = 32 * 2 ** 20;

type Settings = 'onSent' | 'onDated' | 'deadlineMs' | 'maxBytes' | 'retry' | 'random';

export interface ClientOptions
  extends Pick<Connection, 'budget' | 'clock'>, Partial<Pick<Connection, Settings>> {
  account: ServiceAccount;
  connectTimeoutMs?: number;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

/** Creates the client of one account; its connections are kept open between requests. */
export function createServiceClient(options: ClientOptions) {
  const { account } = options;
  const closing = new AbortController();
  const connection = createConnection(options, closing.signal);
  const parsing = {
    codes: account.codes,
    exclude: account.videoList.exclude,
    redact: (text: string) => redact(text, connection.secrets),
  };
  return {
    /** docs/service.md 4.1. Throws TransientError (attempts used up), RefusedError, ParkedError. */
    videoPage: (request: PageRequest) =>
      execute(connection, buildPageRequest(account, request), (content) => readVideoPage(content, parsing)),
    /**
     * As `videoPage`, but the records are not parsed if they have the known hash (null: none is known).
     */
    videoPageIfChanged: (request: PageRequest, knownHash: string | null) =>
      execute(connection, buildPageRequest(account, request), (content) =>
        readPageIfChanged(content, parsing, knownHash),
      ),
    /** A known page with its records. Throws TransientError, RefusedError. */
    readRecords: ({ content }: KnownPage): ReadPage => readVideoPage(content, parsing),
    /** docs/service.md 4.2, days `yyyy-mm-dd`, both included. Throws as above. */
    storageDays: async (request: StorageRequest) =>
      execute(connection, buildStorageRequest(account, request), (content) =>
        readRecordList(content, parsing, STORAGE_ANSWER),
      ),
    close: (): void => {
      closing.abort();
      connection.agent.destroy().catch(() => undefined); // closes the sockets that are open already
    },
  };
}

function createConnection(
  { account, connectTimeoutMs = CONNECT_TIMEOUT_MS, ...options }: ClientOptions,
  signal: AbortSignal,
): Connection {
  const { videoList, storage, concurrency: connections, ca = null, proxies = NO_PROXIES } = account;
  const passwords = [proxies.httpProxy, proxies.httpsProxy].flatMap(listProxySecrets);
  return {
    agent: createAgent({ connections, connectTimeoutMs, proxies, ca, signal }),
    inFlight: pLimit(account.concurrency),
    onSent: () => undefined,
    onDated: () => undefined,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    retry: RETRY_POLICY,
    random: Math.random,
    ...options,
    secrets: [videoList.key, storage?.key ?? '', ...passwords],
  };
}

/** The request for one page of a package, sorted by id (docs/service.md 4.1). */
function buildPageRequest({ name, videoList }: ServiceAccount, request: PageRequest): ApiRequest {
  const { packageId, page, pageSize, direction = 'asc' } = request;
  const url = new URL(videoList.baseUrl + VIDEO_LIST_PATH);
  const query = { pkg: packageId, sort_item: 'id', sort_direction: direction, pagesize: pageSize, page };
  url.searchParams.set('key', videoList.key);
  for (const [parameter, value] of Object.entries(query)) url.searchParams.set(parameter, String(value));
  const target = `package ${packageId}, page ${page}`;
  return { context: request, url, headers: {}, account: name, target, packageId, page };
}

/** The request for the storage of some days (docs/service.md 4.2). */
function buildStorageRequest({ name, storage }: ServiceAccount, request: StorageRequest): ApiRequest {
  if (!storage) throw new RangeError(`account ${name} has no storage statistics`);
  const { baseUrl, auth, key } = storage;
  const url = new URL(baseUrl + STORAGE_PATH);
  url.searchParams.set('sdate', request.from);
  url.searchParams.set('edate', request.to);
  url.searchParams.set('sort_direction', 'asc');
  if (auth === 'query') url.searchParams.set('key', key);
  const headers = typeof auth === 'object' ? { [auth.header]: key } : {};
  const target = `storage ${request.from} to ${request.to}`;
  return { context: request, url, headers, account: name, target, packageId: null, page: null };
}
