/** The JSON bodies of both operations (docs/service.md 2.2, 2.3). */
import { countPages } from '../../lib/count-pages.ts';
import { FIGURES } from '../../lib/service-fields.ts';
import type { StorageDay } from '../storage.ts';
import type { Paging, SearchOption } from '../videos.ts';
import type { VideoPage, VideoQuery } from './catalogue.ts';
import { UNUSED_OPTION } from './query.ts';
import type { ApiErrorCode } from './api-errors.ts';

/** From here up the service writes doubles in scientific notation; so does Java's `Double.toString`. */
const SCIENTIFIC_FROM = 1e7;

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

/**
 * The body of storage days. Days for which `asDoubles` is true have large figures in scientific notation: 4.4482871E7
 * instead of 44482871. No figure changes.
 */
export function storageBody(days: readonly StorageDay[], asDoubles: (day: string) => boolean): Buffer {
  const list = days.map((day) => formatStorageDay(day, asDoubles(day.date) ? formatDouble : JSON.stringify));
  return Buffer.from(`{"message":"success","data":{"list":[${list.join(',')}]}}`);
}

export function storageErrorBody(message: string): Buffer {
  return Buffer.from(JSON.stringify({ message, data: { list: [] } }));
}

function formatStorageDay(day: StorageDay, write: (figure: number | null) => string): string {
  const figures = FIGURES.map((name) => `"${name}":${write(day[name])}`);
  return `{${figures.join(',')},"date":"${day.date}"}`;
}

function formatDouble(figure: number | null): string {
  if (figure === null || Math.abs(figure) < SCIENTIFIC_FROM) return JSON.stringify(figure);
  const [mantissa = '', exponent = ''] = figure.toExponential().split('e+');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${exponent}`;
}
