/** A service behind a real HTTP server: a test changes its packages and replaces its responses. */
import { setTimeout as pause } from 'node:timers/promises';
import { startScriptedService, type Reply, type SeenRequest } from './scripted-service.ts';
import { listBody, videoRecord, VIDEO_LIST } from '../fixtures/service-responses.ts';

export const PACKAGE = 101;

/** Sort order of a list: by id, by id as text, or by arrival. */
export type Order = 'id' | 'text' | 'arrival';

export interface TestPackage {
  /** The current records, by id. */
  records: Map<number, Record<string, unknown>>;
  order: Order;
  /** A larger requested page size is reduced to this. */
  pageSizeMax: number;
  /** The size of every page; null: the requested size. */
  fixedPageSize: number | null;
  /** Added to the real number of records in `totalcount`. */
  extraCount: number;
  /** `totalcount` and `totalpage` stop here, like those of a search engine. */
  most: { totalcount: number; totalpage: number };
  add(...ids: number[]): void;
  remove(...ids: number[]): void;
  edit(id: number, members: Record<string, unknown>): void;
  /** Replaces all videos. */
  refill(ids: readonly number[]): void;
}

/** A request for a page of a video list. */
export interface ListRequest extends SeenRequest {
  packageId: number;
  page: number;
  size: number;
  isDescending: boolean;
}

/** Responds with the page of this package instead. */
export interface Substitute {
  packageId: number;
  /** Members of the echo, replaced or added. */
  echo?: Record<string, unknown>;
  /** Lists only these records, like a search. */
  only?: (id: number) => boolean;
}

interface Hooks {
  /** The delay of each response in milliseconds: parallel requests then overlap. */
  delayMs: number;
  /** Called before the list is read. */
  beforeAnswer: (request: ListRequest) => void;
  /** Replaces the response to a request; undefined keeps it. */
  intercept: (request: ListRequest) => Reply | Substitute | undefined;
}

export type PackageService = Awaited<ReturnType<typeof startPackageService>>;

/** Starts a service with these packages, given as their video ids. */
export async function startTestService(packages: Readonly<Record<number, readonly number[]>>) {
  const all = new Map(Object.entries(packages).map(([id, ids]) => [Number(id), createPackage(ids)]));
  /** The package with this id; a new empty one if it is unknown. */
  const getPackage = (id: number): TestPackage => {
    const found = all.get(id) ?? createPackage([]);
    all.set(id, found);
    return found;
  };
  return serve({ ...createHooks(), getPackage }, getPackage);
}

/** Starts a service that shows one list, of these ids, for every package id. */
export async function startPackageService(ids: readonly number[]) {
  const only = createPackage(ids);
  return serve(Object.assign(only, createHooks()), () => only);
}

const createHooks = (): Hooks => ({
  delayMs: 0,
  beforeAnswer: () => undefined,
  intercept: () => undefined,
});

function createPackage(ids: readonly number[]): TestPackage {
  const created: TestPackage = {
    records: new Map(),
    order: 'id',
    pageSizeMax: 1000,
    fixedPageSize: null,
    extraCount: 0,
    most: { totalcount: Infinity, totalpage: Infinity },
    add: (...added) => added.forEach((id) => created.records.set(id, videoRecord(id))),
    remove: (...removed) => removed.forEach((id) => created.records.delete(id)),
    edit: (id, members) => void created.records.set(id, { ...created.records.get(id), ...members }),
    refill: (next) => {
      created.records.clear();
      created.add(...next);
    },
  };
  created.add(...ids);
  return created;
}

async function serve<State extends Hooks>(state: State, getPackage: (packageId: number) => TestPackage) {
  const service = await startScriptedService(async (request) => {
    if (request.path !== VIDEO_LIST) return { status: 404 };
    if (state.delayMs > 0) await pause(state.delayMs);
    state.beforeAnswer(readListRequest(request));
    const replaced = state.intercept(readListRequest(request));
    const current = readListRequest(request); // the hook may have changed the query
    if (replaced === undefined) return { body: formatPage(getPackage(current.packageId), current) };
    if (typeof replaced === 'string' || !('packageId' in replaced)) return replaced;
    return { body: formatPage(getPackage(replaced.packageId), current, replaced) };
  });
  const { requests } = service;
  return Object.assign(state, service, {
    /** The pages requested so far. */
    pages: () => requests.map(getPage),
    /** The pages of a package requested since the last call. */
    takePages: (packageId: number) => {
      const found = requests.filter(({ query }) => Number(query.get('pkg')) === packageId);
      requests.splice(0, requests.length, ...requests.filter((request) => !found.includes(request)));
      return found.map(getPage);
    },
  });
}

const getPage = ({ query }: SeenRequest) => Number(query.get('page'));

function readListRequest(request: SeenRequest): ListRequest {
  const { query } = request;
  return {
    ...request,
    packageId: Number(query.get('pkg')),
    page: getPage(request),
    size: Number(query.get('pagesize')),
    isDescending: query.get('sort_direction') === 'desc',
  };
}

function formatPage(
  listed: TestPackage,
  { page, size: requestedSize, isDescending }: ListRequest,
  { echo, only }: Partial<Substitute> = {},
): string {
  const size = listed.fixedPageSize ?? Math.min(requestedSize, listed.pageSizeMax);
  const entries = sortEntries(listed).filter(([id]) => only?.(id) ?? true);
  if (isDescending) entries.reverse();
  const totalcount = Math.min(listed.most.totalcount, entries.length + listed.extraCount);
  const body = listBody({
    records: entries.slice((page - 1) * size, page * size).map(([, record]) => record),
    sort_direction: isDescending ? 'DESC' : 'ASC',
    page,
    pagesize: size,
    totalcount,
    totalpage: Math.min(listed.most.totalpage, Math.ceil(totalcount / size)),
  });
  return echo ? changeEcho(body, echo) : body;
}

function sortEntries({ records, order }: TestPackage): [number, Record<string, unknown>][] {
  const entries = [...records];
  if (order === 'id') entries.sort(([one], [other]) => one - other);
  if (order === 'text') entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return entries;
}

function changeEcho(body: string, echo: Record<string, unknown>): string {
  const { videoInfoList } = JSON.parse(body) as {
    videoInfoList: { apiVideoSearchOption: Record<string, unknown> };
  };
  Object.assign(videoInfoList.apiVideoSearchOption, echo);
  return JSON.stringify({ videoInfoList });
}

/** The integers from `first` to `last`. */
export function idsBetween(first: number, last: number): number[] {
  return idsFrom(first, Math.max(0, last - first + 1));
}

/** `count` ids from `first` on, `step` apart. */
export function idsFrom(first: number, count: number, step = 1): number[] {
  return Array.from({ length: count }, (_, index) => first + index * step);
}
