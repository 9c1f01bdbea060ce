/** From the content of a response to its envelope and its records, or to the error that it reports. */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { RefusedError, TransientError } from '../../lib/errors.ts';
import { formatCount } from '../../lib/format.ts';
import { listElements, listMembers, measureJson } from '../../lib/json-text.ts';
import {
  DRIFT_KINDS,
  VIDEO_FIELDS,
  type FieldDrift,
  type ServiceField,
  type VideoField,
} from '../service-fields.ts';
import { createDriftCollector } from '../drift.ts';
import { firstIssueText } from '../field-types.ts';
import { hasAllFields, readVideo, videoListAnswer, videoListStatus } from '../videos.ts';
import type { Paging, RefusedRecord, SearchOption, Video } from '../videos.ts';
import type { Content } from './transport.ts';

/** When a response was complete, in milliseconds since 1970. */
export type WithReceivedAt<T> = T & { answeredAt: number };

/** A page without its records. */
export interface PageEnvelope {
  paging: Paging;
  /** The search state that the service reports; null without one. */
  echo: SearchOption | null;
  /** SHA-256 of the bytes of its records; null if they cannot be separated from the envelope. */
  hash: string | null;
}

/** The records of a page. */
interface PageRecords {
  videos: Video[];
  /** Records that cannot be stored; `raw` is their JSON text as received. */
  refused: (RefusedRecord & { raw: string })[];
  /** The id of each record in the order of the page; null if it cannot be read. */
  ids: (number | null)[];
  /** Where the records differ from docs/service.md 2.1. */
  drift: FieldDrift[];
}

/** A page whose records have the known hash: they are not parsed yet. */
export interface KnownPage extends PageEnvelope {
  kind: 'known';
  /** The whole response, for `readVideoPage`. */
  content: Content;
}

/** A page with its records, without references to the content that it was read from. */
export interface ReadPage extends PageEnvelope, PageRecords {
  kind: 'read';
}

/** Values of `errorCode` with a special meaning. */
export interface ErrorCodes {
  restricted: readonly string[];
  final: readonly string[];
}

interface ParseOptions {
  codes: ErrorCodes;
  /** Fields of a video that are read as null, or as missing where docs/service.md does not have them. */
  exclude: readonly string[];
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
}

/** The records of one response. */
export interface RecordList {
  /** Each record as its JSON text: they are read one by one. */
  records: readonly string[];
  redact: ParseOptions['redact'];
}

/** The form of a response that is one list of records. */
export interface ListForm {
  /** The error that it reports, and what to do; null where the request succeeded. */
  refusal: z.ZodType<{ code: string; text: string; hint: string } | null>;
  /** The envelope where the request succeeded. */
  answer: z.ZodType;
  /** The names that lead to the list. */
  path: readonly string[];
}

/** Reads a response of the video list (docs/service.md 4.1). Throws TransientError or RefusedError. */
export function readVideoPage(content: Content, options: ParseOptions): ReadPage {
  return parsePage(content, options, splitEnvelope(content, VIDEO_FIELDS, options.exclude));
}

/**
 * As `readVideoPage`. If the records have the known hash (null: none is known), only the envelope around them
 * is parsed.
 */
export function readPageIfChanged(
  content: Content,
  options: ParseOptions,
  knownHash: string | null,
): KnownPage | ReadPage {
  const split = splitEnvelope(content, VIDEO_FIELDS, options.exclude);
  const envelope = split && split.hash === knownHash ? parseEnvelope(split) : null;
  return envelope ? { kind: 'known', ...envelope, content } : parsePage(content, options, split);
}

function parseEnvelope({ text, hash }: Envelope): PageEnvelope | null {
  const read = videoListAnswer.safeParse(parseOrNull(text)).data?.videoInfoList;
  const isList = read && Array.isArray(read.videoInfoList) && read.videoInfoList.length === 0;
  if (!isList || isRefusal(read.errorInfo)) return null;
  return { paging: read.paging, echo: read.apiVideoSearchOption ?? null, hash };
}

function parsePage(content: Content, options: ParseOptions, split: Envelope | null): ReadPage {
  const { codes } = options;
  const text = decode(Buffer.concat(content));
  const { json, members } = parseJson(text);
  const { errorInfo } = validate(videoListStatus, json).videoInfoList;
  if (isRefusal(errorInfo)) {
    const code = errorInfo?.errorCode ?? '';
    const hint = 'check the key and the package in the config';
    const message = errorInfo?.errorMessage ? `: ${errorInfo.errorMessage}` : '';
    throw createRefusal(`errorCode ${code}${message}`, { code, codes, hint });
  }
  const { paging, videoInfoList: records, ...rest } = validate(videoListAnswer, json).videoInfoList;
  const listed = split && members - measureJson(split.text).members;
  const isDocumented = listed === records.length * FIELD_COUNT && records.every(hasAllFields);
  return {
    kind: 'read',
    paging,
    echo: rest.apiVideoSearchOption ?? null,
    hash: split?.hash ?? null,
    ...(isDocumented
      ? readDocumented(records, options)
      : readVideos(listRecords(text, 'videoInfoList', 'videoInfoList'), options)),
  };
}

const FIELD_COUNT = Object.keys(VIDEO_FIELDS).length;

/**
 * Takes records that have all documented fields and no other member: they are videos as they are. Most pages
 * hold nothing else.
 */
function readDocumented(videos: Video[], { exclude }: ParseOptions): PageRecords {
  const names = exclude.filter((name): name is VideoField => Object.hasOwn(VIDEO_FIELDS, name));
  for (const video of videos) for (const name of names) Object.assign(video, { [name]: null });
  return { videos, refused: [], ids: videos.map(({ id }) => id), drift: [] };
}

/** The JSON text of each record of the list that these names lead to. */
function listRecords(text: string, ...path: readonly string[]): string[] {
  const list = path.reduce((object, name) => new Map(listMembers(object)).get(name) ?? '[]', text);
  return listElements(list);
}

function isRefusal(errorInfo: { errorCode: string | null } | null | undefined): boolean {
  const code = errorInfo?.errorCode ?? '';
  return code !== '' && code !== 'None';
}

function readVideos(records: readonly string[], { exclude, redact }: ParseOptions): PageRecords {
  const page: Omit<PageRecords, 'drift'> = { videos: [], refused: [], ids: [] };
  const drift = createDriftCollector(redact);
  for (const text of records) {
    const read = readVideo(text, exclude);
    if ('video' in read) page.videos.push(read.video);
    else {
      const { id, reason } = read.refused;
      page.refused.push({ id, reason: redact(reason), raw: redact(text) });
    }
    page.ids.push('video' in read ? read.video.id : read.refused.id);
    drift.add(read.drift);
  }
  return { ...page, drift: drift.list() };
}

/** Reads a response that is a list of this form. Throws TransientError or RefusedError. */
export function readRecordList(
  content: Content,
  { codes, redact }: Omit<ParseOptions, 'exclude'>,
  { refusal, answer, path }: ListForm,
): RecordList {
  const text = decode(Buffer.concat(content));
  const { json } = parseJson(text);
  const refused = validate(refusal, json);
  if (refused) throw createRefusal(refused.text, { ...refused, codes });
  validate(answer, json);
  return { records: listRecords(text, ...path), redact };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The most values of a response. 20,000 records have 500,000, and each takes up to a kilobyte of memory. */
const MAX_VALUES = 600_000;

/**
 * Parses a response, and counts the members of all its objects. Throws RefusedError if it holds more values
 * than a page can, TransientError if it is not JSON.
 */
function parseJson(text: string): { json: unknown; members: number } {
  const { values, members } = measureJson(text);
  if (values > MAX_VALUES) {
    const message = `the response holds ${formatCount(values)} values, more than ${formatCount(MAX_VALUES)}`;
    throw new RefusedError(message, { fault: 'too_large', hint: 'ask for smaller pages: lower page_size' });
  }
  try {
    return { json: JSON.parse(text), members };
  } catch (error) {
    if (/^\s*</.test(text)) {
      throw new TransientError('the service answered with an HTML page instead of JSON', { fault: 'html' });
    }
    const message = `the response is not whole JSON: ${text.length} characters, cut off or malformed`;
    throw new TransientError(message, { fault: 'truncated', cause: error });
  }
}

function validate<T extends z.ZodType>(schema: T, json: unknown): z.output<T> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const message = `the response is not as documented: ${firstIssueText(result.error)}`;
  throw new TransientError(message, { fault: 'shape' });
}

function createRefusal(
  text: string,
  { code, codes, hint }: { code: string; codes: ErrorCodes; hint: string },
): TransientError | RefusedError {
  const message = `the service refused: ${text}`;
  if (codes.restricted.includes(code)) return new TransientError(message, { fault: 'restricted' });
  return new RefusedError(message, { fault: codes.final.includes(code) ? 'final' : 'refused', code, hint });
}

const OPENING = '['.charCodeAt(0);
const CLOSING = ']'.charCodeAt(0);

/** Decodes UTF-8. Throws TransientError for other bytes, which Node would replace silently. */
function decode(content: Buffer): string {
  if (!isUtf8(content)) throw new TransientError('the response is not valid UTF-8', { fault: 'encoding' });
  const text = toText(content);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Decodes by way of UTF-16, which takes 1.1 ms a megabyte where `toString('utf8')` takes 2.8 (Node 20). */
function toText(content: Buffer): string {
  return isAscii(content)
    ? content.toString('latin1')
    : transcode(content, 'utf8', 'utf16le').toString('utf16le');
}

/** The content without the list of its records. */
interface Envelope {
  /** The text around the list, with an empty list in its place. */
  text: string;
  /**
   * SHA-256 of the bytes of the list, from the first `[` to the last `]`, and of the known fields, in base64.
   */
  hash: string;
}

/**
 * Takes the list out of the content; null if there is none. The known kinds of drift, the names and types of
 * the known fields, and the names of those that are left out are part of the hash, so that another version or
 * config reads the list again. Text and hash together represent all of the content, whatever the brackets
 * enclose. The text is that of a response only if the list was its list of records. The pieces of the content
 * are not put together: for a page that did not change, that would be a seventh of the time.
 */
export function splitEnvelope(
  content: Content,
  fields: Readonly<Record<string, Pick<ServiceField, 'type'>>>,
  exclude: readonly string[] = [],
): Envelope | null {
  const [head, tail] = [content[0] ?? Buffer.alloc(0), content.at(-1) ?? Buffer.alloc(0)];
  const [first, last] = [head.indexOf(OPENING), tail.lastIndexOf(CLOSING)];
  if (content.length > 1 && (first === -1 || last === -1))
    return splitEnvelope([Buffer.concat(content)], fields, exclude);
  if (first === -1 || (content.length === 1 && last < first)) return null;
  const text = `${decode(head.subarray(0, first))}[]${decode(tail.subarray(last + 1))}`;
  const hash = createHash('sha256').update(
    JSON.stringify([DRIFT_KINDS, Object.entries(fields).map(([name, { type }]) => [name, type]), exclude]),
  );
  for (const [index, piece] of content.entries()) {
    const end = index === content.length - 1 ? last + 1 : piece.length;
    hash.update(piece.subarray(index === 0 ? first : 0, end));
  }
  return { text, hash: hash.digest('base64') };
}
