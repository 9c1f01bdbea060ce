/** The two operations of docs/service.md 4 as requests. The key is sent only where the account's config places it. */
import type { SortDirection } from '../videos.ts';
import { STORAGE_PATH } from '../storage.ts';
import { VIDEO_LIST_PATH } from '../videos.ts';
import type { Proxies } from '../../lib/http/proxies.ts';
import type { Purpose } from '../../lib/request-budget.ts';
import type { ErrorCodes } from './parse-response.ts';

/** What the client must know of an account. */
export interface ServiceAccount {
  name: string;
  videoList: { baseUrl: string; key: string };
  /** `auth` says where the key goes; docs/service.md 5 does not document it. */
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

/** What a request is for. An aborted signal ends it. */
export interface RequestContext {
  purpose: Purpose;
  runId: number | null;
  signal?: AbortSignal | undefined;
}

/** One page of one package, sorted by id. The response says which page size is in effect. */
export interface PageRequest extends RequestContext {
  packageId: number;
  page: number;
  pageSize: number;
  direction?: SortDirection;
  /** The hash of the records that the caller knows of this page; null or left out for none. */
  knownHash?: string | null;
}

/** Some days, `yyyy-mm-dd`, both included. */
export interface StorageRequest extends RequestContext {
  from: string;
  to: string;
}

/** One HTTP request, and what it is about. */
export interface ApiRequest {
  context: RequestContext;
  url: URL;
  headers: Record<string, string>;
  /** For messages: the account, and the package and page or the days. */
  account: string;
  target: string;
  packageId: number | null;
  page: number | null;
}

/** The request for one page of a package, sorted by id (docs/service.md 4.1). */
export function buildPageRequest({ name, videoList }: ServiceAccount, request: PageRequest): ApiRequest {
  const { packageId, page, pageSize, direction = 'asc' } = request;
  const url = new URL(videoList.baseUrl + VIDEO_LIST_PATH);
  const query = { pkg: packageId, sort_item: 'id', sort_direction: direction, pagesize: pageSize, page };
  url.searchParams.set('key', videoList.key);
  for (const [parameter, value] of Object.entries(query)) url.searchParams.set(parameter, String(value));
  const target = `package ${packageId}, page ${page}`;
  return { context: request, url, headers: {}, account: name, target, packageId, page };
}

/** The request for the storage of some days (docs/service.md 4.2). */
export function buildStorageRequest({ name, storage }: ServiceAccount, request: StorageRequest): ApiRequest {
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
