/** The fleets of the targets of a config, for pages: asked at most every few seconds, however many read them. */
import type { TargetConfig } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { assessFleet, type TargetFleet } from '../../lib/fleet.ts';
import { describeTargetError, readFleet } from './target-kinds.ts';

/** A reader does not wait longer for a target that is down or frozen, in milliseconds. */
const DEADLINE_MS = 5_000;
const CACHED_MS = 15_000;

/** Reads all targets at the same time. Never rejects: a target that is down says so. */
export function createFleetReader(
  targets: readonly TargetConfig[],
  clock: Pick<Clock, 'now'>,
): () => Promise<TargetFleet[]> {
  let read: { atMs: number; fleets: Promise<TargetFleet[]> } | null = null;
  return () => {
    const now = clock.now();
    if (read === null || Math.abs(now - read.atMs) >= CACHED_MS)
      read = { atMs: now, fleets: Promise.all(targets.map((target) => readTarget(target, now))) };
    return read.fleets;
  };
}

async function readTarget(target: TargetConfig, readAtMs: number): Promise<TargetFleet> {
  const { name } = target;
  try {
    const entries = assessFleet(await readFleet(target, DEADLINE_MS), {
      isCron: false,
      everyMs: target.everyMs,
    });
    return { target: name, entries, error: null, hint: null, readAtMs };
  } catch (error) {
    const { message, hint } = await describeTargetError(error, target);
    return { target: name, entries: null, error: message, hint, readAtMs };
  }
}
