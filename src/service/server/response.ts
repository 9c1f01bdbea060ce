/** The JSON bodies of both operations (docs/service.md 2.2, 2.3). */
import { countPages } from '../../lib/count-pages.ts';
import { pickFigures } from '../../lib/service-fields.ts';
import type { StorageDay } from '../storage.ts';
import type { Paging, SearchOption } from '../videos.ts';
import type { VideoPage, VideoQuery } from './catalogue.ts';
import { UNUSED_OPTION } from './query.ts';
import type { ApiErrorCode } from './api-errors.ts';

export function videoListBody(query: VideoQuery, echo: SearchOption, page: VideoPage): Buffer {
  const { records } = page;
  const list = records instanceof Uint8Array ? records : Buffer.from(JSON.stringify(records));
  return wrapList(echo, list, { errorCode: 'None', errorMessage: '' }, buildPaging(query, page));
}

export function videoErrorBody(errorCode: ApiErrorCode, errorMessage: string): Buffer {
  const paging = { page: 0, pagesize: 0, totalcount: 0, totalpage: 0 };
  return wrapList(UNUSED_OPTION, Buffer.from('[]'), { errorCode, errorMessage }, paging);
}

function buildPaging({ page, pageSize }: VideoQuery, { totalcount }: VideoPage): Paging {
  return { page, pagesize: pageSize, totalcount, totalpage: countPages(totalcount, pageSize) };
}

function wrapList(
  option: SearchOption,
  list: Uint8Array,
  errorInfo: { errorCode: string; errorMessage: string },
  paging: Paging,
): Buffer {
  const before = `{"videoInfoList":{"apiVideoSearchOption":${JSON.stringify(option)},"videoInfoList":`;
  const after = `,"errorInfo":${JSON.stringify(errorInfo)},"paging":${JSON.stringify(paging)}}}`;
  return Buffer.concat([Buffer.from(before), list, Buffer.from(after)]);
}

export function storageBody(days: readonly StorageDay[]): Buffer {
  const list = days.map((day) => ({ ...pickFigures(day), date: day.date }));
  return Buffer.from(JSON.stringify({ message: 'success', data: { list } }));
}

export function storageErrorBody(message: string): Buffer {
  return Buffer.from(JSON.stringify({ message, data: { list: [] } }));
}
