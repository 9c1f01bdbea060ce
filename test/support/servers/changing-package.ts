/** One package behind a real HTTP server, which a test may change between any two requests. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  startScriptedService,
  type Reply,
  type ScriptedService,
  type SeenRequest,
} from './scripted-service.ts';
import { listBody, videoRecord, VIDEO_LIST } from '../fixtures/service-responses.ts';

export const PACKAGE = 101;

/** How the service lists: by id as asked, by id as text, or in the order of arrival. */
export type Order = 'id' | 'text' | 'arrival';

export interface ChangingPackage extends ScriptedService {
  /** The records there are now, by id. */
  records: Map<number, Record<string, unknown>>;
  order: Order;
  /** The largest page it gives; the size in effect is told in the answer. */
  pageSizeMax: number;
  /** The size of every page, whatever is asked; null where the service goes by what is asked. */
  sizeFixed: number | null;
  /** By how many the count is more than the records that there are. */
  countedTooMany: number;
  /** Milliseconds that each answer is held back: so that requests made at a time are seen at a time. */
  delayMs: number;
  add(...ids: number[]): void;
  remove(...ids: number[]): void;
  edit(id: number, members: Record<string, unknown>): void;
  /** Called with the page asked for, before the service looks at its records. */
  beforeAnswer: (page: number, request: SeenRequest) => void;
  /** May replace the answer to a request; undefined lets it be. */
  instead: (page: number, request: SeenRequest) => Reply | undefined;
  /** The pages asked for so far. */
  pages(): number[];
}

/** Starts a service with these ids. */
export async function startChangingPackage(ids: readonly number[]): Promise<ChangingPackage> {
  const state = {
    records: new Map<number, Record<string, unknown>>(),
    order: 'id' as Order,
    pageSizeMax: 1000,
    sizeFixed: null,
    countedTooMany: 0,
    delayMs: 0,
    beforeAnswer: () => undefined,
    instead: () => undefined,
    add: (...more: number[]) => more.forEach((id) => state.records.set(id, videoRecord(id))),
    remove: (...gone: number[]) => gone.forEach((id) => state.records.delete(id)),
    edit: (id: number, members: Record<string, unknown>) =>
      void state.records.set(id, { ...state.records.get(id), ...members }),
  } as unknown as ChangingPackage;
  state.add(...ids);
  const service = await startScriptedService(async (request) => {
    if (request.path !== VIDEO_LIST) return { status: 404 };
    const page = Number(request.query.get('page'));
    if (state.delayMs > 0) await pause(state.delayMs);
    state.beforeAnswer(page, request);
    return state.instead(page, request) ?? { body: answer(state, page, request) };
  });
  const pages = () => service.requests.map(({ query }) => Number(query.get('page')));
  return Object.assign(state, service, { pages });
}

function answer(state: ChangingPackage, page: number, { query }: SeenRequest): string {
  const size = state.sizeFixed ?? Math.min(Number(query.get('pagesize')), state.pageSizeMax);
  const isFromTop = query.get('sort_direction') === 'desc';
  const records = isFromTop ? sorted(state).reverse() : sorted(state);
  const totalcount = records.length + state.countedTooMany;
  return listBody({
    records: records.slice((page - 1) * size, page * size),
    sort_direction: isFromTop ? 'DESC' : 'ASC',
    page,
    pagesize: size,
    totalcount,
    totalpage: Math.ceil(totalcount / size),
  });
}

function sorted({ records, order }: ChangingPackage): Record<string, unknown>[] {
  const entries = [...records];
  if (order === 'id') entries.sort(([one], [other]) => one - other);
  if (order === 'text') entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return entries.map(([, record]) => record);
}

/** The whole numbers from `first` to `last`. */
export function idsBetween(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
