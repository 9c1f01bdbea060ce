/** Several packages behind one real HTTP server, which may answer for one with the page of another. */
import { startScriptedService, type ScriptedService, type SeenRequest } from './scripted-service.ts';
import { listBody, videoRecord, VIDEO_LIST, type ListAnswer } from '../fixtures/service-responses.ts';

/** What the answer to a request is about. */
export interface Told {
  /** The package whose list is shown, whatever was asked for. */
  packageId: number;
  /** Members of the echo, replaced or added. */
  echo?: Record<string, unknown>;
  /** Only these of its records, as a search finds them. */
  only?: (id: number) => boolean;
}

/** One request. */
export interface Asked {
  packageId: number;
  page: number;
  size: number;
  isFromTop: boolean;
}

export interface SeveralPackages extends ScriptedService {
  /** The ids of each package. */
  lists: Map<number, Set<number>>;
  /** The largest page it gives. */
  pageSizeMax: number;
  /** Called before each answer; what it gives is told instead of what was asked for. */
  instead: (asked: Asked) => Told | undefined;
  add: (packageId: number, ...ids: number[]) => void;
  remove: (packageId: number, ...ids: number[]) => void;
  /** Puts other videos in the place of all that there are. */
  refill: (packageId: number, ids: readonly number[]) => void;
  /** The pages of a package asked for since the last call. */
  asked: (packageId: number) => number[];
}

/** Starts a service with these packages. */
export async function startSeveralPackages(
  lists: Readonly<Record<number, readonly number[]>>,
): Promise<SeveralPackages> {
  const all = new Map(Object.entries(lists).map(([id, ids]) => [Number(id), new Set(ids)]));
  const listOf = (packageId: number) => {
    const list = all.get(packageId) ?? new Set<number>();
    all.set(packageId, list);
    return list;
  };
  const state = {
    lists: all,
    pageSizeMax: 1000,
    instead: () => undefined,
    add: (packageId: number, ...ids: number[]) => ids.forEach((id) => listOf(packageId).add(id)),
    remove: (packageId: number, ...ids: number[]) => ids.forEach((id) => listOf(packageId).delete(id)),
    refill: (packageId: number, ids: readonly number[]) => void all.set(packageId, new Set(ids)),
  } as unknown as SeveralPackages;
  const service = await startScriptedService((request) => {
    if (request.path !== VIDEO_LIST) return { status: 404 };
    const [packageId, page, size] = ['pkg', 'page', 'pagesize'].map((name) =>
      Number(request.query.get(name)),
    );
    const asked = { packageId, page, size, isFromTop: isFromTop(request) } as Asked;
    return { body: answer(state, request, state.instead(asked) ?? { packageId: asked.packageId }) };
  });
  return Object.assign(state, service, { asked: (packageId: number) => takeAsked(service, packageId) });
}

function takeAsked({ requests }: ScriptedService, packageId: number): number[] {
  const ofPackage = requests.filter(({ query }) => Number(query.get('pkg')) === packageId);
  const rest = requests.filter((request) => !ofPackage.includes(request));
  requests.splice(0, requests.length, ...rest);
  return ofPackage.map(({ query }) => Number(query.get('page')));
}

const isFromTop = ({ query }: SeenRequest) => query.get('sort_direction') === 'desc';

function answer(state: SeveralPackages, request: SeenRequest, { packageId, echo, only }: Told): string {
  const { query } = request;
  const page = Number(query.get('page'));
  const size = Math.min(Number(query.get('pagesize')), state.pageSizeMax);
  const rising = [...(state.lists.get(packageId) ?? [])].sort((one, other) => one - other);
  const ids = (isFromTop(request) ? rising.reverse() : rising).filter((id) => only?.(id) ?? true);
  const told: ListAnswer = {
    records: ids.slice((page - 1) * size, page * size).map((id) => videoRecord(id)),
    sort_direction: isFromTop(request) ? 'DESC' : 'ASC',
    page,
    pagesize: size,
    totalcount: ids.length,
    totalpage: Math.ceil(ids.length / size),
  };
  return echo ? echoing(listBody(told), echo) : listBody(told);
}

interface Body {
  videoInfoList: { apiVideoSearchOption: Record<string, unknown> };
}

function echoing(body: string, echo: Record<string, unknown>): string {
  const { videoInfoList } = JSON.parse(body) as Body;
  const { apiVideoSearchOption } = videoInfoList;
  return JSON.stringify({
    videoInfoList: { ...videoInfoList, apiVideoSearchOption: { ...apiVideoSearchOption, ...echo } },
  });
}

/** So many ids from `first` on, `step` apart. */
export function idsFrom(first: number, count: number, step = 1): number[] {
  return Array.from({ length: count }, (_, index) => first + index * step);
}
