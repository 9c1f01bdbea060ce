/**
 * The manifest that a load continues from. One that is damaged or gone is made again from the pointer, from older manifests and
 * from what is in the store: no file is deleted because a document about it was lost.
 */
import { parquetMetadata } from 'hyparquet';
import {
  hash,
  parseManifest,
  type LakeFile,
  type LakeTable,
  type Manifest,
  type Pointer,
} from './documents.ts';
import { readManifest } from './head.ts';
import { nowText, type Lake } from './lake.ts';
import { dataPrefix, isManifestKey, manifestPrefix, type LakeOwner } from './layout.ts';
import { emptyManifest, type Author } from './manifests.ts';
import type { Head } from './pointer.ts';
import { StoreError } from './store.ts';
import { indexFiles } from './superseded.ts';

/** Throws StoreError. */
export async function readBase(
  lake: Lake,
  owner: LakeOwner,
  head: Head | null,
  author: Author,
): Promise<Manifest> {
  if (head === null) return emptyManifest(lake, owner, null, author);
  return (await readManifest(lake, head)) ?? restoreManifest(lake, head.pointer, author);
}

async function restoreManifest(lake: Lake, pointer: Pointer, author: Author): Promise<Manifest> {
  const older = await findOlder(lake, pointer);
  const known = new Map(
    older && [
      ...indexFiles(older.tables),
      ...older.set_aside.flatMap(({ files }) => files.map((file) => [file.key, file] as const)),
    ],
  );
  const tables = await restoreTables(lake, pointer, known);
  const accounted = new Set([
    ...Object.values(pointer.files).flat(),
    ...(older?.superseded ?? []).map(({ key }) => key),
    ...(older?.set_aside ?? []).flatMap(({ files }) => files.map(({ key }) => key)),
  ]);
  const others = await listOthers(lake, pointer, older, accounted);
  const aside = {
    ...{ timeline: pointer.facts.timeline, load: pointer.load, set_aside_at: nowText(lake) },
    files: others.map((key) => known.get(key) ?? toUnread(key)),
  };
  return {
    ...emptyManifest(lake, pointer.owner, pointer, author),
    ...{ tables, restored: true, booked: older?.booked ?? {}, superseded: older?.superseded ?? [] },
    set_aside: [...(older?.set_aside ?? []), ...(others.length === 0 ? [] : [aside])],
  };
}

/** The newest manifest before the lost one that can be read. */
async function findOlder({ store }: Lake, { owner, manifest }: Pointer): Promise<Manifest | null> {
  const keys: string[] = [];
  for await (const { key } of store.list(manifestPrefix(owner)))
    if (isManifestKey(key) && key < manifest) keys.push(key);
  for (const key of keys.reverse()) {
    const found = await store.get(key);
    const parsed = found && tryParse(key, found.body);
    if (parsed) return parsed;
  }
  return null;
}

function tryParse(key: string, body: Uint8Array): Manifest | null {
  try {
    return parseManifest(key, body);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** The tables that the pointer names. A slice of which a file is gone or damaged is left out: it is written again. */
async function restoreTables(
  lake: Lake,
  { files, checksums }: Pointer,
  known: ReadonlyMap<string, LakeFile>,
): Promise<LakeTable[]> {
  const tables: LakeTable[] = [];
  for (const [table, bySlice] of Object.entries(checksums)) {
    const slices: LakeTable['slices'] = [];
    for (const [slice, checksum] of Object.entries(bySlice)) {
      const keys = (files[table] ?? []).filter((key) => toSlice(key) === slice);
      const found: (LakeFile | null)[] = [];
      for (const key of keys) found.push(known.get(key) ?? (await readFacts(lake, table, key)));
      const whole = found.filter((file) => file !== null);
      if (whole.length === keys.length) slices.push({ slice, checksum, files: whole });
    }
    tables.push({ table, slices });
  }
  return tables;
}

const toSlice = (key: string): string => /\/month=(\d{4}-\d{2})\//.exec(key)?.[1] ?? '';

/** What a file tells of itself; null where it is gone, or is no Parquet. */
async function readFacts({ store }: Lake, table: string, key: string): Promise<LakeFile | null> {
  const found = await store.get(key);
  if (found === null) return null;
  try {
    const { num_rows: rows } = parquetMetadata(Uint8Array.from(found.body).buffer);
    return {
      ...toUnread(key),
      ...{ rows: Number(rows), bytes: found.body.byteLength, sha256: hash(found.body), etag: found.etag },
      since: table === 'video_history' ? 0 : null,
    };
  } catch {
    return null; // written again, as one that is gone
  }
}

const toUnread = (key: string): LakeFile => ({
  ...{ key, rows: 0, bytes: 0, sha256: '', etag: '' },
  ...{ min_change_seq: null, max_change_seq: null, since: null },
});

/** Files of the owner that no document names: the lost manifest may have set them aside. */
async function listOthers(
  { store }: Lake,
  { owner, checksums }: Pointer,
  older: Manifest | null,
  accounted: ReadonlySet<string>,
): Promise<string[]> {
  const names = new Set([...Object.keys(checksums), ...(older?.tables ?? []).map(({ table }) => table)]);
  const others: string[] = [];
  for (const table of names)
    for await (const { key } of store.list(dataPrefix(table, owner)))
      if (!accounted.has(key)) others.push(key);
  return others;
}
