/** The two operations of docs/service.md 4 as requests. The key goes where the account says, and nowhere else. */
import { STORAGE_PATH } from '../storage.ts';
import { VIDEO_LIST_PATH } from '../videos.ts';
import type { RequestContext, PageRequest, ServiceAccount, StorageRequest } from './client.ts';

/** One request, and whom and what it is about. */
export interface ApiRequest {
  asking: RequestContext;
  url: URL;
  headers: Record<string, string>;
  /** Account, package and page (or days), for messages. */
  where: string;
  packageId: number | null;
  page: number | null;
}

/** Asks for one page of a package, sorted by id (docs/service.md 4.1). */
export function pageRequest(account: ServiceAccount, request: PageRequest): ApiRequest {
  const { packageId, page, pageSize, direction = 'asc' } = request;
  const url = new URL(account.videoList.baseUrl + VIDEO_LIST_PATH);
  const query = { pkg: packageId, sort_item: 'id', sort_direction: direction, pagesize: pageSize, page };
  url.searchParams.set('key', account.videoList.key);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const where = `account ${account.name}, package ${packageId}, page ${page}`;
  return { asking: request, url, headers: {}, where, packageId, page };
}

/** Asks for the storage of some days (docs/service.md 4.2). */
export function storageRequest(account: ServiceAccount, request: StorageRequest): ApiRequest {
  if (!account.storage) throw new RangeError(`account ${account.name} has no storage statistics`);
  const { baseUrl, auth, key } = account.storage;
  const url = new URL(baseUrl + STORAGE_PATH);
  url.searchParams.set('sdate', request.from);
  url.searchParams.set('edate', request.to);
  url.searchParams.set('sort_direction', 'asc');
  if (auth === 'query') url.searchParams.set('key', key);
  const headers = typeof auth === 'object' ? { [auth.header]: key } : {};
  const where = `account ${account.name}, storage ${request.from} to ${request.to}`;
  return { asking: request, url, headers, where, packageId: null, page: null };
}
