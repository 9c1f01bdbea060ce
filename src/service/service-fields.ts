/**
 * The fields of the service's two records, in its order (docs/service.md 2.1 and 2.3). The schemas that read
 * them, the OpenAPI document, the data dictionary and the published columns take type, unit and description
 * from here.
 */
import { readTime } from '../lib/days.ts';

/** The types of docs/service.md 2. */
export type FieldType = 'string' | 'integer' | 'number';

/**
 * How a field differs from docs/service.md 2: unknown there, missing here, of another JSON type, or a text of
 * another form.
 */
export const DRIFT_KINDS = ['new', 'missing', 'type', 'form'] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

/**
 * A field that differs somewhere in a response: well-formed, at most 100 characters. `sample` is the first
 * such value as JSON, well-formed, at most 200 characters; null if the field is missing.
 */
export interface FieldDrift {
  field: string;
  kind: DriftKind;
  sample: string | null;
}

export interface ServiceField {
  readonly type: FieldType;
  /** Without a full stop. */
  readonly description: string;
  /** What a number counts in, or how a text is written; absent if the type is enough. */
  readonly unit?: string;
  /** Is the value of the documented form, or of one that means the same? Absent: every value is. */
  readonly hasForm?: (value: unknown) => boolean;
}

/** The unit of a number whose unit the service does not document. */
export const NOT_DOCUMENTED = 'not documented';

/** The 24 fields of a video (docs/service.md 2.1). */
export const VIDEO_FIELDS = {
  id: { type: 'integer', description: 'Video identifier' },
  cid: { type: 'string', description: 'Content identifier; its meaning is not documented' },
  access_key: { type: 'string', description: 'Video key (video access key, level 2)' },
  org_access_key: { type: 'string', description: 'Original key (video access key, level 1)' },
  title: { type: 'string', description: 'Title' },
  series: { type: 'string', description: 'Series' },
  author: { type: 'string', description: 'Original creator' },
  content: { type: 'string', description: 'Description' },
  tag: { type: 'string', description: 'Tags; how several are separated is not documented' },
  copyright: { type: 'string', description: 'Copyright' },
  rate: { type: 'string', description: 'Meaning not documented' },
  cdate: {
    type: 'string',
    description: "Creation time, on the service's own clock: its time zone is not documented",
    unit: 'yyyy-mm-dd hh:mm:ss.f',
    hasForm: (value) => typeof value !== 'string' || value === '' || readTime(value) !== null,
  },
  duration: { type: 'integer', description: 'Playback length', unit: NOT_DOCUMENTED },
  etc: { type: 'string', description: 'Miscellaneous' },
  thumbnail_url: { type: 'string', description: 'Address of the thumbnail image', unit: 'URL' },
  thumbnail_sheet_url: { type: 'string', description: 'Meaning not documented' },
  encoding_success: {
    type: 'string',
    description: 'Encoding result flag; Y occurs, other values are not documented',
  },
  v_width: { type: 'integer', description: 'Video width', unit: NOT_DOCUMENTED },
  v_height: { type: 'integer', description: 'Video height', unit: NOT_DOCUMENTED },
  v_framerate: { type: 'number', description: 'Frame rate', unit: 'frames per second' },
  filesize: { type: 'integer', description: 'File size', unit: NOT_DOCUMENTED },
  drm_cid: { type: 'string', description: 'Meaning not documented' },
  opt: { type: 'string', description: 'Meaning not documented; NONE occurs' },
  preloading: { type: 'string', description: 'Meaning not documented' },
} as const satisfies Record<string, ServiceField>;

export type VideoField = keyof typeof VIDEO_FIELDS;

/**
 * A kind of storage. `name`: its name in the published file; `label`: on the page; `what`: in descriptions;
 * `count`, `size`: its two figures.
 */
const storageKind = <Count extends string, Size extends string>(
  name: string,
  label: string,
  what: string,
  count: Count,
  size: Size,
) => ({ name, label, what, count, size });

/**
 * The five kinds of storage (docs/service.md 2.3), in the order of the record. Everything about storage takes
 * its figures from here.
 */
export const STORAGE_KINDS = [
  storageKind('original_video', 'Originals', 'original videos', 'mov_org_cnt', 'mov_org_size'),
  storageKind('encoded_file', 'Encoded', 'encoded files', 'encoder_cnt', 'encoder_size'),
  storageKind(
    'original_ad',
    'Ad originals',
    'original video-advertisement files',
    'ad_org_cnt',
    'ad_org_size',
  ),
  storageKind('encoded_ad', 'Ad encoded', 'encoded advertisement files', 'ad_encoder_cnt', 'ad_encoder_size'),
  storageKind('image', 'Images', 'original images', 'image_count', 'image_size'),
];

/** The name of a figure in the service's record of a day. */
export type Figure = (typeof STORAGE_KINDS)[number]['count' | 'size'];

/**
 * The figures of a storage record. Those of a past day are its peak or a snapshot of it; those of today are
 * live. fromEntries() and keys() lose the names.
 */
export const STORAGE_FIELDS = Object.fromEntries(
  STORAGE_KINDS.flatMap(({ what, count, size }): [Figure, ServiceField & { unit: string }][] => [
    [count, { type: 'number', description: `Number of ${what}`, unit: 'pieces' }],
    [size, { type: 'number', description: `Size of ${what}`, unit: 'bytes' }],
  ]),
) as Record<Figure, ServiceField & { unit: string }>;

/** The figures of a day of storage, in the order of docs/service.md 2.3. */
export const FIGURES = Object.keys(STORAGE_FIELDS) as readonly Figure[];

/** The figures of a row that may hold more. */
export function pickFigures(row: Readonly<Record<Figure, number | null>>): Record<Figure, number | null> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, row[figure]])) as Record<Figure, number | null>;
}

/** Do both rows have the same figures? */
export function hasSameFigures(
  one: Readonly<Record<Figure, number | null>>,
  other: Readonly<Record<Figure, number | null>>,
): boolean {
  return FIGURES.every((figure) => one[figure] === other[figure]);
}
