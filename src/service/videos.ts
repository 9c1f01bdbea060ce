/** The video list operation: `GET {base_url}/info/v1/videos.json` (docs/service.md 2.1, 2.2 and 4.1). */
import * as z from 'zod';
import { VIDEO_FIELDS } from './service-fields.ts';
import { firstIssueText, matchesExactly, readersFor, requiredInteger, text } from './field-types.ts';
import { receiveRecord, type ReceivedRecord } from './received-record.ts';

/** Path of the operation below `base_url`. */
export const VIDEO_LIST_PATH = '/info/v1/videos.json';

/** Fields that `search_item` may name (docs/service.md 4.1). */
export const SEARCH_ITEMS = ['title', 'series', 'author', 'copyright', 'content', 'tag', 'etc'] as const;
export type SearchItem = (typeof SEARCH_ITEMS)[number];

/** Fields that `sort_item` may name (docs/service.md 4.1). */
export const SORT_ITEMS = ['id', 'title', 'duration', 'filesize'] as const;
export type SortItem = (typeof SORT_ITEMS)[number];

export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/** One video as the service lists it (docs/service.md 2.1). Undocumented fields are kept too. */
export const videoRecord = z.looseObject({
  ...readersFor(VIDEO_FIELDS),
  id: requiredInteger(1, VIDEO_FIELDS.id),
});

type VideoFields = { [K in keyof typeof videoRecord.shape]: z.output<(typeof videoRecord.shape)[K]> };

/**
 * A video to store: the 24 fields of docs/service.md 2.1, and all others as JSON text (absent: there are
 * none).
 */
export type Video = VideoFields & { extra?: string };

/** A record that cannot be stored without loss, and why. `id` is null if it cannot be read either. */
export interface RefusedRecord {
  id: number | null;
  reason: string;
}

type ReadVideo = { video: Video } | { refused: RefusedRecord };

/**
 * Reads one element of the list from its JSON text, and where it differs from docs/service.md 2.1; a record
 * that cannot be stored is returned as a value, not thrown. `exclude`: fields that are read as null, or left
 * out where docs/service.md does not have them.
 */
export function readVideo(
  text: string,
  exclude: readonly string[] = [],
): ReadVideo & Pick<ReceivedRecord, 'drift'> {
  const received = receiveRecord(text, VIDEO_FIELDS, exclude);
  return { ...readFields(received), drift: received.drift };
}

function readFields({ problem, fields, others }: ReceivedRecord): ReadVideo {
  if (problem !== null) return { refused: { id: readId(fields), reason: problem } };
  const result = videoRecord.safeParse(fields);
  if (!result.success) return { refused: { id: readId(fields), reason: firstIssueText(result.error) } };
  return { video: others === null ? result.data : { ...result.data, extra: others } };
}

const matchers = Object.entries(videoRecord.shape).map(([name, schema]) => ({
  name,
  fits: matchesExactly(schema),
}));

/**
 * True for a value that has all 24 fields, each of its type and form. If it has no others, it is what
 * `readVideo` would read.
 */
export function hasAllFields(record: unknown): record is VideoFields {
  if (typeof record !== 'object' || record === null) return false;
  const fields = record as Record<string, unknown>;
  for (const { name, fits } of matchers) if (!fits(fields[name])) return false;
  return VIDEO_FIELDS.cdate.hasForm(fields['cdate']);
}

function readId({ id }: { id?: unknown }): number | null {
  return videoRecord.shape.id.safeParse(id).data ?? null;
}

/** Position of one response in the list (docs/service.md 2.2); `pagesize` is the size in effect. */
export const paging = z.looseObject({
  page: requiredInteger(0, { description: 'Number of the page returned; pages count from 1' }),
  pagesize: requiredInteger(0, { description: 'Page size in effect', unit: 'videos' }),
  totalcount: requiredInteger(0, { description: 'Matching videos in all', unit: 'videos' }),
  totalpage: requiredInteger(0, { description: 'Pages in all', unit: 'pages' }),
});
export type Paging = Pick<z.output<typeof paging>, 'page' | 'pagesize' | 'totalcount' | 'totalpage'>;

const option = (description: string) => z.string().nullish().meta({ description });

/** Echo of the search state; empty strings when unused (docs/service.md 2.2). */
export const searchOption = z.looseObject({
  search_item: option('Field that was searched'),
  keyword: option('Search word'),
  filter: option('all occurs, other values and meaning not documented'),
  sort_item: option('Field that the list is sorted by'),
  sort_direction: option('Direction that the list is sorted in, in capitals: ASC or DESC'),
  fromDate: option('Meaning not documented'),
  toDate: option('Meaning not documented'),
});
export type SearchOption = z.output<typeof searchOption>;

/** `errorCode` is `None` and `errorMessage` empty when no error occurs (docs/service.md 2.2, 7). */
export const errorInfo = z.looseObject({
  errorCode: text({ description: 'None, or a code that says what went wrong' }),
  errorMessage: text({ description: 'Empty without an error' }),
});

/** The envelope of a list that succeeded; its records are read one by one with `readVideo`. */
export const videoListAnswer = z.looseObject({
  videoInfoList: z.looseObject({
    apiVideoSearchOption: searchOption.nullish().catch(null),
    videoInfoList: z.array(z.unknown()),
    errorInfo: errorInfo.nullish(),
    paging,
  }),
});

/** The part of the envelope that shows whether the request succeeded. */
export const videoListStatus = z.looseObject({
  videoInfoList: z.looseObject({ errorInfo: errorInfo.nullish() }),
});
