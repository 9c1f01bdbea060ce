/** The commit of a load: its manifest is written once, and the pointer is moved to it. */
import { LostLeaseError } from '../load-errors.ts';
import {
  encodeDocument,
  parseManifest,
  parsePointer,
  type LakeTable,
  type Manifest,
  type Pointer,
} from './documents.ts';
import type { Lake } from './lake.ts';
import { toManifestKey, toPartition, toPointerKey, type LakeOwner } from './layout.ts';
import { writeSymlinks } from './symlinks.ts';

/** A pointer as it was read. */
export interface Head {
  pointer: Pointer;
  etag: string;
}

/** How often a pointer is moved again that somebody else moved at the same moment. */
const TRIES = 5;

/**
 * Makes a manifest the last load of its owner. The files must be there. Throws LostLeaseError if another writer wrote a load
 * of this number; then readers see nothing of this one. Throws StoreError.
 */
export async function commit(lake: Lake, base: Head | null, manifest: Manifest): Promise<Head> {
  const { store } = lake;
  const key = toManifestKey(manifest.owner, manifest.load);
  const { body } = encodeDocument(manifest);
  if ((await store.putIfAbsent(key, body)) === null) throw await describeWinner(lake, manifest.owner, key);
  await assertNewest(lake, manifest); // before the lists, which no later load would put right
  await writeSymlinks(lake, manifest, Object.keys(base?.pointer.files ?? {}));
  const moved = await movePointer(lake, base, manifest);
  if (moved.pointer.load !== manifest.load) throw describeLater(moved.pointer);
  return moved;
}

/**
 * The number of a load is free again once later loads are there and its manifest was deleted: a process that stood still as
 * long as that finds it free. Throws LostLeaseError.
 */
async function assertNewest({ store }: Lake, { owner, load }: Manifest): Promise<void> {
  const key = toPointerKey(owner);
  const found = await store.get(key);
  const pointer = found && parsePointer(key, found.body);
  if (pointer && pointer.load > load) throw describeLater(pointer);
}

const describeLater = ({ owner, facts }: Pointer) =>
  new LostLeaseError(
    `${toPartition(owner)} was loaded by ${facts.worker} at ${facts.loaded_at} UTC, while this worker loaded it`,
  );

async function describeWinner({ store }: Lake, owner: LakeOwner, key: string): Promise<LostLeaseError> {
  const found = await store.get(key);
  const who = found && parseManifest(key, found.body).facts;
  const by = who ? `by ${who.worker} at ${who.loaded_at} UTC` : 'by another worker';
  return new LostLeaseError(`${toPartition(owner)} was loaded ${by}, while this worker loaded it`);
}

/** Moves the pointer to a manifest that is there. Gives the pointer as it is then: it may name a later load. */
export async function movePointer(lake: Lake, base: Head | null, manifest: Manifest): Promise<Head> {
  const { store } = lake;
  const key = toPointerKey(manifest.owner);
  const pointer = toPointer(manifest, lake.options.keepMs);
  const { body } = encodeDocument(pointer);
  let before = base;
  for (let tries = 1; tries <= TRIES; tries++) {
    const etag = await (before ? store.replace(key, body, before.etag) : store.putIfAbsent(key, body));
    if (etag !== null) return { pointer, etag };
    const found = await store.get(key);
    before = found && { pointer: parsePointer(key, found.body), etag: found.etag };
    if (before && before.pointer.load >= manifest.load) return before;
  }
  throw new LostLeaseError(`${key} is moved by others again and again`);
}

/**
 * Changes what a pointer says without a load. Null if it is another one now: then a load came in between, which knows more.
 * Throws StoreError.
 */
export async function changeState(
  { store }: Lake,
  { pointer, etag }: Head,
  state: Partial<Pointer['state']>,
): Promise<Head | null> {
  const changed = { ...pointer, state: { ...pointer.state, ...state } };
  const written = await store.replace(toPointerKey(pointer.owner), encodeDocument(changed).body, etag);
  return written === null ? null : { pointer: changed, etag: written };
}

function toPointer(manifest: Manifest, keepMs: number): Pointer {
  const { format, owner, load, facts, state, tables, superseded } = manifest;
  const oldest = superseded.reduce<number | null>((least, { at }) => Math.min(least ?? at, at), null);
  return {
    ...{ format, owner, load },
    manifest: toManifestKey(owner, load),
    sha256: encodeDocument(manifest).sha256,
    files: Object.fromEntries(
      tables.map((each) => [each.table, listFiles(each).map(({ key }) => key)] as const),
    ),
    ...{ facts, state },
    checksums: Object.fromEntries(
      tables.map(({ table, slices }) => [
        table,
        Object.fromEntries(slices.map(({ slice, checksum }) => [slice, checksum] as const)),
      ]),
    ),
    sweep_after: oldest === null ? null : oldest + keepMs,
  };
}

/** All files of a table, in the order of its rows. */
export const listFiles = ({ slices }: LakeTable) => slices.flatMap(({ files }) => files);
