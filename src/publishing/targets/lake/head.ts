/** The last load of an owner: the pointer that readers follow, and the manifest that it names. */
import { hash, parseManifest, parsePointer, type Manifest } from './documents.ts';
import type { Lake } from './lake.ts';
import { isManifestKey, manifestPrefix, toManifestKey, toPointerKey, type LakeOwner } from './layout.ts';
import { movePointer, type Head } from './pointer.ts';
import { writeSymlinks } from './symlinks.ts';

/** Null where the owner has never been claimed. Throws StoreError. */
export async function readHead({ store }: Lake, owner: LakeOwner): Promise<Head | null> {
  const key = toPointerKey(owner);
  const found = await store.get(key);
  return found && { pointer: parsePointer(key, found.body), etag: found.etag };
}

/**
 * The manifest that a pointer names. Null if it is gone or is another one: then nothing is known of the files. Throws
 * StoreError.
 */
export async function readManifest({ store }: Lake, { pointer }: Head): Promise<Manifest | null> {
  const found = await store.get(pointer.manifest);
  if (found === null || hash(found.body) !== pointer.sha256) return null;
  return parseManifest(pointer.manifest, found.body);
}

/**
 * The same head, unless there are newer manifests: of a writer that was killed before it moved the pointer, or of before
 * somebody put back an older pointer. A manifest is written after all its files, so the newest one is a whole load: the pointer
 * is moved to it. Throws StoreError.
 */
export async function rollForward(lake: Lake, owner: LakeOwner, head: Head | null): Promise<Head | null> {
  const { store } = lake;
  let newest: string | null = null;
  const after = toManifestKey(owner, head?.pointer.load ?? 0);
  for await (const { key } of store.list(manifestPrefix(owner), after)) if (isManifestKey(key)) newest = key;
  const found = newest === null ? null : await store.get(newest);
  if (newest === null || found === null) return head;
  const manifest = parseManifest(newest, found.body);
  await writeSymlinks(lake, manifest, Object.keys(head?.pointer.files ?? {}));
  return movePointer(lake, head, manifest);
}
