/** What earlier loads left in a lake: it is deleted once no query can need it any more. */
import { listFiles, type Head } from './pointer.ts';
import type { LakeFile, LakeTable, Manifest } from './documents.ts';
import type { Lake } from './lake.ts';
import { dataPrefix, toManifestKey, type LakeOwner } from './layout.ts';

/** The files of tables by their keys. */
export const indexFiles = (tables: readonly LakeTable[]): Map<string, LakeFile> =>
  new Map(tables.flatMap((table) => listFiles(table).map((file) => [file.key, file] as const)));

/** What is superseded by a load with these tables: what the last one had, and its manifest. */
export function listSuperseded(
  { store }: Lake,
  base: Manifest,
  tables: readonly LakeTable[],
  setAside: Manifest['set_aside'],
): Manifest['superseded'] {
  const at = store.now();
  const present = indexFiles(tables);
  const kept = new Set(setAside.flatMap(({ files }) => files.map(({ key }) => key)));
  const gone = [...indexFiles(base.tables).keys()].filter((key) => !present.has(key) && !kept.has(key));
  return [...base.superseded, ...[...gone, toManifestKey(base.owner, base.load)].map((key) => ({ key, at }))];
}

/** Was something superseded longer than `keep` ago? */
export const isSweepDue = ({ store }: Lake, { pointer }: Head): boolean =>
  pointer.sweep_after !== null && pointer.sweep_after <= store.now();

/** Deletes what was superseded longer than `keep` ago. Gives what is left. Throws StoreError. */
export async function sweepSuperseded(
  { store, options }: Lake,
  superseded: Manifest['superseded'],
): Promise<Manifest['superseded']> {
  const isDue = ({ at }: { at: number }) => at + options.keepMs <= store.now();
  await store.remove(superseded.filter(isDue).map(({ key }) => key));
  return superseded.filter((each) => !isDue(each));
}

/** What the store has of an owner's tables: the sizes by key. Deletes files of loads that never ended. Throws StoreError. */
export async function listAndSweepOrphans(
  { store, options }: Lake,
  owner: LakeOwner,
  names: readonly string[],
  base: Manifest,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const orphanMs = Math.max(options.keepMs, 2 * options.loadTimeoutMs); // a load under way may still name younger ones
  const orphans: string[] = [];
  const known = new Set([
    ...indexFiles(base.tables).keys(),
    ...base.superseded.map(({ key }) => key),
    ...base.set_aside.flatMap(({ files }) => files.map(({ key }) => key)),
  ]);
  const tables = new Set([...names, ...base.tables.map(({ table }) => table)]);
  for (const table of tables)
    for await (const { key, bytes, modifiedAtMs } of store.list(dataPrefix(table, owner))) {
      if (known.has(key)) sizes.set(key, bytes);
      else if (modifiedAtMs + orphanMs <= store.now()) orphans.push(key);
    }
  await store.remove(orphans);
  return sizes;
}

/** The tables without slices of which a file is gone, or has another size: those are written again. */
export const withoutDamaged = (
  tables: readonly LakeTable[],
  sizes: ReadonlyMap<string, number>,
): LakeTable[] =>
  tables.map(({ table, slices }) => ({
    table,
    slices: slices.filter(({ files }) => files.every(({ key, bytes }) => sizes.get(key) === bytes)),
  }));
