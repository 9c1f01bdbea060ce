/** Well-formed answers of the service (service.md 2), for scripts. */
import { FIGURES } from '../../src/lib/figures.ts';
import type { Answer, Reply, Script, SeenRequest } from './scripted-service.ts';

export const VIDEO_LIST = '/info/v1/videos.json';
export const STORAGE = '/report/stats/video/storage';

/** A whole video record with this id; members are replaced or added. */
export function videoRecord(id: number, members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    cid: null,
    access_key: `level2-${id}`,
    org_access_key: `level1-${id}`,
    title: `Video ${id}`,
    series: null,
    author: '',
    content: null,
    tag: '',
    copyright: null,
    rate: null,
    cdate: '2026-01-31 12:00:00.0',
    duration: 60_000,
    etc: null,
    thumbnail_url: `https://images.example.test/${id}.jpg`,
    thumbnail_sheet_url: '',
    encoding_success: 'Y',
    v_width: 1920,
    v_height: 1080,
    v_framerate: 29.97,
    filesize: 44_482_871,
    drm_cid: '',
    opt: 'NONE',
    preloading: '',
    ...members,
  };
}

export interface ListAnswer {
  records?: readonly unknown[];
  page?: unknown;
  pagesize?: unknown;
  totalcount?: unknown;
  totalpage?: unknown;
  errorCode?: string;
  errorMessage?: string;
  sort_direction?: string;
}

/** The body of a video list; by default one page that holds all of its records. */
export function listBody({
  records = [],
  errorCode = 'None',
  errorMessage = '',
  sort_direction = 'ASC',
  ...paging
}: ListAnswer): string {
  return JSON.stringify({
    videoInfoList: {
      apiVideoSearchOption: {
        search_item: '',
        keyword: '',
        filter: 'all',
        sort_item: 'id',
        sort_direction,
        fromDate: '',
        toDate: '',
      },
      videoInfoList: records,
      errorInfo: { errorCode, errorMessage },
      paging: {
        page: 1,
        pagesize: 1000,
        totalcount: records.length,
        totalpage: records.length > 0 ? 1 : 0,
        ...paging,
      },
    },
  });
}

/** Answers a request for the list with the page that it asks for, of these records in the order of their ids. */
export function listPage({ query }: SeenRequest, records: readonly Record<string, unknown>[]): Answer {
  const size = Number(query.get('pagesize'));
  const page = Number(query.get('page'));
  const paging = {
    page,
    pagesize: size,
    totalcount: records.length,
    totalpage: Math.ceil(records.length / size),
  };
  return { body: listBody({ records: records.slice((page - 1) * size, page * size), ...paging }) };
}

/** Refuses as the service does: HTTP 200 and an error code (service.md 7). */
export function listRefusal(errorCode: string, errorMessage = ''): Answer {
  return { body: listBody({ errorCode, errorMessage }) };
}

/** A storage record of the day, every figure the same. */
export function storageRecord(date: string, figure: unknown = 1): Record<string, unknown> {
  return { ...Object.fromEntries(FIGURES.map((name) => [name, figure])), date };
}

/** The body of a storage answer. */
export function storageBody(list: readonly unknown[], message = 'success'): string {
  return JSON.stringify({ message, data: { list } });
}

/** Answers a storage request with a record for every day that it asks for. */
export function storageDays({ query }: SeenRequest): Answer {
  const days: string[] = [];
  const last = Date.parse(query.get('edate') ?? '');
  for (let day = Date.parse(query.get('sdate') ?? ''); day <= last; day += 86_400_000) {
    days.push(new Date(day).toISOString().slice(0, 10));
  }
  return { body: storageBody(days.map((day) => storageRecord(day))) };
}

/** A whole service: storage for every day, and for each package what `list` says. */
export function wholeService(
  list: (request: SeenRequest, packageId: number) => Reply | Promise<Reply>,
): Script {
  return (request) => {
    if (request.path === STORAGE) return storageDays(request);
    return request.path === VIDEO_LIST ? list(request, Number(request.query.get('pkg'))) : { status: 404 };
  };
}
