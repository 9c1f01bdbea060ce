/** The documents of a lake: pointers, manifests, and the signs of life of workers. All are JSON. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { LakeOwner } from './layout.ts';
import { StoreError, type Body } from './store.ts';

/** Of all documents. */
const FORMAT = 1;

/** The code of a StoreError: what is there is no document. */
export const BAD_DOCUMENT = 'BadDocument';

const count = z.int().min(0);
const owner = z.union([
  z.strictObject({ account: z.string() }),
  z.strictObject({ warehouse: z.string() }),
  z.literal('all'),
]) satisfies z.ZodType<LakeOwner>;

const lakeFile = z.object({
  key: z.string(),
  rows: count,
  bytes: count,
  /** Of the bytes, in hexadecimal digits. */
  sha256: z.string(),
  /** As the store gave it. */
  etag: z.string(),
  /** The least and the greatest `change_seq` of its rows; null where the table has none. */
  min_change_seq: count.nullable(),
  max_change_seq: count.nullable(),
  /** Of former states: it has those that were superseded after this `change_seq`. Null for other tables. */
  since: count.nullable(),
});

const lakeSlice = z.object({
  /** A month (`2026-03`); '' for all rows of the owner. */
  slice: z.string(),
  /** Of its rows in the published file. */
  checksum: z.string(),
  files: z.array(lakeFile),
});

const lakeTable = z.object({ table: z.string(), slices: z.array(lakeSlice) });

const anchor = z.object({
  packageId: z.int(),
  videoId: z.int(),
  changeSeq: z.int(),
  validFrom: z.string(),
});

/** What a load is about. Times are UTC, `YYYY-MM-DD HH:MM:SS`. */
const facts = z.object({
  kind: z.enum(['claim', 'first', 'changes', 'reload', 'removed', 'swept']),
  warehouse_id: z.string(),
  worker: z.string(),
  instance: z.string(),
  /** One more each time that another worker or warehouse gets the account. */
  epoch: count,
  /** Null before rows were loaded. */
  timeline: z.string().nullable(),
  /** Timelines that the lake had before, the oldest first: a file of one of them is an old copy. */
  former_timelines: z.array(z.string()),
  /** See `Source.shape`. */
  shape: z.string().nullable(),
  change_seq: count,
  /** Rows that this load wrote. */
  rows: count,
  version: z.string(),
  timezone: z.string(),
  loaded_at: z.string(),
  /** The newest states of the last loads, the newest first: the published file must have them too. */
  anchors: z.array(anchor),
  /** Accounts that a warehouse loaded here; empty for other owners. */
  accounts: z.array(z.string()),
});

/** What changes without a load. */
const state = z.object({
  /** How fresh the rows are: the newest publication that the lake has. Null before rows were loaded. */
  published_at: z.string().nullable(),
  /** The last run of that publication. */
  last_run: count,
  verified_at: z.string().nullable(),
  /** Why the next load writes everything again; null: it does not. */
  status: z.enum(['rebuild', 'unverified']).nullable(),
});

const manifest = z.object({
  format: z.literal(FORMAT),
  owner,
  load: count,
  facts,
  state,
  tables: z.array(lakeTable),
  /** It was made again after it was lost: `booked` may lack days that the files have. */
  restored: z.boolean().optional(),
  /** Hashes of the figures of booked days, by day. */
  booked: z.record(z.string(), z.string()),
  /** Objects of earlier loads, and since when (milliseconds since 1970) they are of no use: deleted after `keep`. */
  superseded: z.array(z.object({ key: z.string(), at: z.number() })),
  /** Files with rows that only the lake has: of a former timeline, or of an account that a person let go. They stay. */
  set_aside: z.array(
    z.object({
      timeline: z.string().nullable(),
      load: count,
      set_aside_at: z.string(),
      files: z.array(lakeFile),
    }),
  ),
});

const pointer = z.object({
  format: z.literal(FORMAT),
  owner,
  load: count,
  /** Key of the manifest, and its SHA-256. */
  manifest: z.string(),
  sha256: z.string(),
  /** The keys of the files of each table. */
  files: z.record(z.string(), z.array(z.string())),
  facts,
  state,
  /** The checksums of the published file, by table and slice. */
  checksums: z.record(z.string(), z.record(z.string(), z.string())),
  /** When superseded files may be deleted next, in milliseconds since 1970; null: there are none. */
  sweep_after: z.number().nullable(),
});

const workerSign = z.object({
  format: z.literal(FORMAT),
  worker: z.string(),
  instance: z.string(),
  /** UTC, `YYYY-MM-DD HH:MM:SS`, by the clock of the store. */
  renewed_at: z.string(),
  lease_until: z.string(),
});

export type LakeFile = z.infer<typeof lakeFile>;
export type LakeSlice = z.infer<typeof lakeSlice>;
export type LakeTable = z.infer<typeof lakeTable>;
export type LakeState = z.infer<typeof state>;
export type LoadFacts = z.infer<typeof facts>;
/** `manifest/<owner>/<load>.json`: everything that one load consists of. Written once, never changed. */
export type Manifest = z.infer<typeof manifest>;
/** `latest/<owner>.json`: the commit. Readers follow it to one whole load. */
export type Pointer = z.infer<typeof pointer>;
/** `workers/<instance>.json`: a sign of life. The accounts of a worker are free after `lease_until`. */
export type WorkerSign = z.infer<typeof workerSign>;

const read = <T>(schema: z.ZodType<T>) => {
  return (key: string, body: Uint8Array): T => {
    const text = Buffer.from(body).toString('utf8');
    const document = parseJson(text);
    const parsed = schema.safeParse(document);
    if (parsed.success) return parsed.data;
    throw describeBad(key, document);
  };
};

/** A document of a newer version is whole, and stays as it is. */
function describeBad(key: string, document: unknown): StoreError {
  const { format } = Object(document) as { format?: unknown };
  if (typeof format === 'number' && format > FORMAT)
    return new StoreError(`${key} was written by a newer version of vodhouse`, {
      ...{ code: 'NewerDocument', hint: 'use that version here, too', retry: 'hourly' },
    });
  return new StoreError(`${key} is damaged: it is no document of vodhouse`, {
    ...{
      code: BAD_DOCUMENT,
      hint: 'vodhouse publish --target NAME --rebuild ACCOUNT puts it back',
      retry: 'hourly',
    },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each throws StoreError for what is no such document. */
export const parsePointer = read(pointer);
export const parseManifest = read(manifest);
export const parseWorkerSign = read(workerSign);

/** A document as it is stored, and its SHA-256. */
export function encodeDocument(document: Manifest | Pointer | WorkerSign): { body: Body; sha256: string } {
  const body = Buffer.from(`${JSON.stringify(document, null, 1)}\n`);
  return { body: [body], sha256: hash(body) };
}

export const hash = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');
