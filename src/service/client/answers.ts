/** From the text of an answer to its envelope, or to the error that it is. */
import { parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';
import type { z } from 'zod';
import { RefusedError, TransientError } from '../../lib/errors.ts';
import { firstProblem } from '../fields.ts';
import { storageAnswer, storageVerdict } from '../storage.ts';
import { readVideo, videoListAnswer, videoListVerdict } from '../videos.ts';
import type { Paging, RefusedRecord, SearchOption, Video } from '../videos.ts';

/** One page of the list, every record read. It holds nothing of the text that it came in. */
export interface VideoPage {
  paging: Paging;
  /** The search state that the service says it used; null where it says nothing. */
  echo: SearchOption | null;
  videos: Video[];
  /** Records that cannot be stored; `raw` is their JSON as it came, with every digit. */
  refused: (RefusedRecord & { raw: string })[];
  /** The id of each record in the order of the page; null where it cannot be read. */
  ids: (number | null)[];
}

/** The days of one storage answer; its records are read one by one. */
export interface StorageDays {
  records: readonly unknown[];
  raw(index: number): string;
}

/** Which codes of `errorInfo` mean more than "no". */
export interface Codes {
  restricted: readonly string[];
  final: readonly string[];
}

/** Reads an answer of the video list. Throws TransientError or RefusedError. */
export function readVideoPage(text: string, codes: Codes): VideoPage {
  const json = parseJson(text);
  const verdict = check(videoListVerdict, json).videoInfoList.errorInfo;
  const code = verdict?.errorCode ?? '';
  if (code !== '' && code !== 'None') {
    const hint = 'check the key and the package in the config';
    throw refusal(`errorCode ${code}${says(verdict?.errorMessage)}`, { code, codes, hint });
  }
  const { paging, videoInfoList: records, apiVideoSearchOption } = check(videoListAnswer, json).videoInfoList;
  const raw = rawRecord(text, records, (whole) => whole.videoInfoList?.videoInfoList);
  return { paging, echo: apiVideoSearchOption ?? null, ...readVideos(records, raw) };
}

function readVideos(records: readonly unknown[], raw: (index: number) => string) {
  const page: Pick<VideoPage, 'videos' | 'refused' | 'ids'> = { videos: [], refused: [], ids: [] };
  records.forEach((record, index) => {
    const read = readVideo(record);
    if ('video' in read) page.videos.push(read.video);
    else page.refused.push({ ...read.refused, raw: raw(index) });
    page.ids.push('video' in read ? read.video.id : read.refused.id);
  });
  return page;
}

/** Reads an answer of the storage statistics. Throws TransientError or RefusedError. */
export function readStorageDays(text: string, codes: Codes): StorageDays {
  const json = parseJson(text);
  const { message } = check(storageVerdict, json);
  if (message !== 'success') {
    const hint = 'check the key and `auth` of the storage in the config';
    throw refusal(`message ${JSON.stringify(message)}`, { code: message ?? '', codes, hint });
  }
  const records = check(storageAnswer, json).data.list;
  return { records, raw: rawRecord(text, records, (whole) => whole.data?.list) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^\s*</.test(text)) {
      throw new TransientError('the service answered with an HTML page instead of JSON', { fault: 'html' });
    }
    const message = `the answer is not whole JSON: ${text.length} characters, cut off or malformed`;
    throw new TransientError(message, { fault: 'truncated', cause: error });
  }
}

function check<T extends z.ZodType>(schema: T, json: unknown): z.output<T> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new TransientError(`the answer is not as documented: ${firstProblem(result.error)}`, {
    fault: 'shape',
  });
}

function says(message: string | null | undefined): string {
  return message ? `: ${message}` : '';
}

function refusal(
  words: string,
  { code, codes, hint }: { code: string; codes: Codes; hint: string },
): TransientError | RefusedError {
  const message = `the service refused: ${words}`;
  if (codes.restricted.includes(code)) return new TransientError(message, { fault: 'refused' });
  return new RefusedError(message, { fault: codes.final.includes(code) ? 'final' : 'refused', code, hint });
}

interface Envelope {
  videoInfoList?: { videoInfoList?: unknown[] };
  data?: { list?: unknown[] };
}

/** Parses the whole text again with every digit kept: only for the few records that cannot be stored. */
function rawRecord(
  text: string,
  records: readonly unknown[],
  list: (whole: Envelope) => unknown[] | undefined,
) {
  let lossless: unknown[] | undefined;
  return (index: number): string => {
    try {
      lossless ??= list(parseLossless(text) as Envelope);
      return stringifyLossless(lossless?.[index]) ?? JSON.stringify(records[index]);
    } catch {
      return JSON.stringify(records[index]);
    }
  };
}
