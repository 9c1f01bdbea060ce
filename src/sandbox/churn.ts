/** The changes of the simulated account while it runs. */
import { MINUTE_MS, type Clock } from '../lib/clock.ts';
import { createRandom, STREAM, type Random } from './random.ts';
import type { PackageVideos } from './package-videos.ts';

export interface Change {
  kind: 'upload' | 'edit' | 'delete' | 're-add';
  packageId: number;
  id: number;
}

/**
 * Percentages of the changes; the remaining ones restore deleted videos. As many videos come as go, so the
 * account keeps its size.
 */
const SHARES = { upload: 20, edit: 40, delete: 30 } as const;

/** The time between two steps: short, so that each makes few changes at any usual rate. */
const STEP_MS = 100;

/** Makes `count` changes at once, the same ones in the same order for a seed. Empty packages stay empty. */
export function createChurn(seed: number, lists: readonly PackageVideos[]): (count: number) => Change[] {
  let made = 0;
  const change = (): Change | null => {
    const random = createRandom(seed, STREAM.churn, made++);
    const list = pickList(lists, random);
    return list && changeOne(list, random);
  };
  return (count) => Array.from({ length: count }, change).filter((one) => one !== null);
}

/** A package by its share of the videos; null if all are empty. */
function pickList(lists: readonly PackageVideos[], random: Random): PackageVideos | null {
  let rank = random.nextInt(lists.reduce((sum, list) => sum + list.size(), 0));
  for (const list of lists) {
    if (rank < list.size()) return list;
    rank -= list.size();
  }
  return null;
}

/** If no video may be removed, a delete is an edit; if none is removed, a re-add is an upload. */
function changeOne(list: PackageVideos, random: Random): Change {
  const { packageId } = list;
  const kind = pickKind(random);
  const rank = random.nextInt(list.size());
  if (kind === 're-add' && list.countRemoved() > 0) {
    return { kind, packageId, id: list.restore(random.nextInt(list.countRemoved())) };
  }
  if (kind === 'delete' && list.canShrink()) return { kind, packageId, id: list.remove(rank) };
  if (kind === 'edit' || kind === 'delete') return { kind: 'edit', packageId, id: list.edit(rank) };
  return { kind: 'upload', packageId, id: list.upload() };
}

function pickKind(random: Random): Change['kind'] {
  const drawn = random.nextInt(100);
  if (drawn < SHARES.upload) return 'upload';
  if (drawn < SHARES.upload + SHARES.edit) return 'edit';
  return drawn < SHARES.upload + SHARES.edit + SHARES.delete ? 'delete' : 're-add';
}

/**
 * Calls `change` with the number of changes that are due, until the returned function is called. Does not
 * keep the process alive.
 */
export function churnSteadily(perMinute: number, clock: Clock, change: (count: number) => void): () => void {
  const startedMs = clock.now();
  let made = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((clock.now() - startedMs) / MINUTE_MS) * perMinute) - made;
    if (due <= 0) return;
    made += due;
    change(due);
  }, STEP_MS).unref();
  return () => clearInterval(timer);
}
