/** From the content of an answer to its envelope and its records, or to the error that it is. */
import { parse as parseLossless, stringify as stringifyLossless } from 'lossless-json';
import type { z } from 'zod';
import { RefusedError, TransientError } from '../../lib/errors.ts';
import { createDriftCollector, type FieldDrift } from '../drift.ts';
import { firstIssueText } from '../field-types.ts';
import { storageAnswer, storageVerdict } from '../storage.ts';
import { readVideo, videoListAnswer, videoListVerdict } from '../videos.ts';
import type { Paging, RefusedRecord, SearchOption, Video } from '../videos.ts';
import { decode, splitEnvelope, type Envelope } from './response-body.ts';

/** Part of the hash of a list. To be changed whenever a record is read otherwise than before. */
const READER = 'records 1';

/** What is known of a page before its records are read. */
export interface PageEnvelope {
  paging: Paging;
  /** The search state that the service says it used; null where it says nothing. */
  echo: SearchOption | null;
  /** SHA-256 of the bytes of its records; null where they cannot be told from the rest, or nobody asked. */
  hash: string | null;
}

/**
 * Says whether the records of a page, by their hash, are known byte for byte and need not be read. `readSeen` reads
 * what is around them; it gives null where only a look at the whole answer can tell what it is.
 */
export type IsUnchangedPage = (hash: string, readSeen: () => PageEnvelope | null) => Promise<boolean>;

/** One page of the list. It holds nothing of the content that it came in. */
export interface VideoPage extends PageEnvelope {
  /** The page was recognised: its records were not read, and are not here. */
  recognised: boolean;
  videos: Video[];
  /** Records that cannot be stored; `raw` is their JSON as it came, with every digit. */
  refused: (RefusedRecord & { raw: string })[];
  /** The id of each record in the order of the page; null where it cannot be read. */
  ids: (number | null)[];
  /** Where its records are not as docs/service.md 2.1 documents them. */
  drift: FieldDrift[];
}

/** How answers of an account are read. */
export interface Reading {
  codes: Codes;
  /** Takes secrets out of a text. */
  clean: (text: string) => string;
}

/** The days of one storage answer; its records are read one by one. */
export interface StorageDays {
  records: readonly unknown[];
  raw(index: number): string;
  /** Takes secrets out of a text. */
  clean: Reading['clean'];
}

/** Which codes of `errorInfo` mean more than "no". */
export interface Codes {
  restricted: readonly string[];
  final: readonly string[];
}

/** Reads an answer of the video list. Throws TransientError or RefusedError. */
export async function readVideoPage(
  content: Buffer,
  reading: Reading,
  recognise?: IsUnchangedPage,
): Promise<VideoPage> {
  const envelope = recognise ? splitEnvelope(content, READER) : null;
  if (!recognise || !envelope) return readWholePage(decode(content), reading, null);
  const { hash } = envelope;
  const read: { seen: PageEnvelope | null } = { seen: null };
  const isKnown = await recognise(hash, () => (read.seen = readEnvelope(envelope)));
  if (isKnown && read.seen) return { ...read.seen, ...NOT_READ };
  return readWholePage(decode(content), reading, hash);
}

const NOT_READ = { recognised: true, videos: [], refused: [], ids: [], drift: [] };

function readEnvelope({ text, hash }: Envelope): PageEnvelope | null {
  const read = videoListAnswer.safeParse(parseOrNull(text)).data?.videoInfoList;
  const isList = read && Array.isArray(read.videoInfoList) && read.videoInfoList.length === 0;
  if (!isList || isRefusal(read.errorInfo)) return null;
  return { paging: read.paging, echo: read.apiVideoSearchOption ?? null, hash };
}

function readWholePage(text: string, { codes, clean }: Reading, hash: string | null): VideoPage {
  const json = parseJson(text);
  const verdict = check(videoListVerdict, json).videoInfoList.errorInfo;
  if (isRefusal(verdict)) {
    const code = verdict?.errorCode ?? '';
    const hint = 'check the key and the package in the config';
    throw refusal(`errorCode ${code}${says(verdict?.errorMessage)}`, { code, codes, hint });
  }
  const { paging, videoInfoList: records, apiVideoSearchOption } = check(videoListAnswer, json).videoInfoList;
  const raw = rawRecord(text, records, (whole) => whole.videoInfoList?.videoInfoList);
  const echo = apiVideoSearchOption ?? null;
  return { paging, echo, hash, recognised: false, ...readVideos(records, raw, clean) };
}

function isRefusal(verdict: { errorCode: string | null } | null | undefined): boolean {
  const code = verdict?.errorCode ?? '';
  return code !== '' && code !== 'None';
}

function readVideos(records: readonly unknown[], raw: (index: number) => string, clean: Reading['clean']) {
  const page: Pick<VideoPage, 'videos' | 'refused' | 'ids'> = { videos: [], refused: [], ids: [] };
  const drift = createDriftCollector(clean);
  records.forEach((record, index) => {
    const read = readVideo(record);
    if ('video' in read) page.videos.push(read.video);
    else {
      const { id, reason } = read.refused;
      page.refused.push({ id, reason: clean(reason), raw: clean(raw(index)) });
    }
    page.ids.push('video' in read ? read.video.id : read.refused.id);
    drift.note(read.drift);
  });
  return { ...page, drift: drift.found() };
}

/** Reads an answer of the storage statistics. Throws TransientError or RefusedError. */
export function readStorageDays(content: Buffer, { codes, clean }: Reading): StorageDays {
  const text = decode(content);
  const json = parseJson(text);
  const { message } = check(storageVerdict, json);
  if (message !== 'success') {
    const hint = 'check the key and `auth` of the storage in the config';
    throw refusal(`message ${JSON.stringify(message)}`, { code: message ?? '', codes, hint });
  }
  const records = check(storageAnswer, json).data.list;
  const raw = rawRecord(text, records, (whole) => whole.data?.list);
  return { records, raw: (index) => clean(raw(index)), clean };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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
  throw new TransientError(`the answer is not as documented: ${firstIssueText(result.error)}`, {
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
  if (codes.restricted.includes(code)) return new TransientError(message, { fault: 'restricted' });
  return new RefusedError(message, { fault: codes.final.includes(code) ? 'final' : 'refused', code, hint });
}

interface WholeAnswer {
  videoInfoList?: { videoInfoList?: unknown[] };
  data?: { list?: unknown[] };
}

/** What is nested too deeply for the stack to be written as JSON is told in words. */
function asJson(record: unknown): string {
  try {
    return JSON.stringify(record);
  } catch {
    return '"nested too deeply to be shown"';
  }
}

/** Parses the whole text again with every digit kept: only for the few records that cannot be stored. */
function rawRecord(
  text: string,
  records: readonly unknown[],
  list: (whole: WholeAnswer) => unknown[] | undefined,
) {
  let lossless: unknown[] | undefined;
  return (index: number): string => {
    try {
      lossless ??= list(parseLossless(text) as WholeAnswer);
      return stringifyLossless(lossless?.[index]) ?? asJson(records[index]);
    } catch {
      return asJson(records[index]);
    }
  };
}
