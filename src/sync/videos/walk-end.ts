/** How walks end: at their end with what they proved, or before it with what stopped them. */
import {
  InterruptedError,
  errorMessage,
  ParkedError,
  RefusedError,
  WarehouseError,
} from '../../lib/errors.ts';
import type { Mode, Status } from '../../database/schema/runs.ts';
import type { WalkEnd } from '../../warehouse/walks.ts';
import type { SyncContext } from '../context.ts';
import { isOrderSeen, walkMessage, type WalkState } from './walk-state.ts';
import type { WalkOptions } from './walk.ts';

/** A tick may come this much late, in milliseconds. */
const LATE_TICK_MS = 60_000;
/** A walk that would remove no more than this many is not held back for its share alone. */
const BRAKE_LEAST = 20;

/** A file that cannot be written cannot take this note either: what stopped the walk is the better error. */
export async function recordStop(
  parts: SyncContext,
  order: WalkOptions,
  walk: { walkId: number; mode: Mode },
  error: unknown,
): Promise<void> {
  if (error instanceof WarehouseError) return;
  const key = { account: order.account.name, packageId: order.packageId };
  const stop = { ...key, ...walk, runId: order.runId, now: parts.clock.now() };
  await parts.warehouse.stopWalk({ ...stop, status: statusOf(error), error: errorOf(error) });
}

/** The error with what a person can do about it: wherever the walk is shown, both are. */
function errorOf(error: unknown): string {
  const isForeign = error instanceof RefusedError && error.fault === 'foreign' && error.hint;
  return isForeign ? `${error.message}; ${error.hint}` : errorMessage(error);
}

function statusOf(error: unknown): Status {
  if (error instanceof InterruptedError) return 'interrupted';
  return error instanceof ParkedError ? 'parked' : 'failed';
}

/** What a walk came to that read what it was to read. */
export function buildWalkEnd(
  parts: SyncContext,
  order: WalkOptions,
  startedAt: number,
  course: WalkState,
): WalkEnd {
  const { key, walkId, checkpoint, isWhole } = course;
  const brake = {
    share: parts.walk.removalBrake,
    least: BRAKE_LEAST,
    confirmBefore: startedAt - parts.walk.scheduleMs + LATE_TICK_MS,
    accept: order.acceptRemovals,
  };
  const end = { ...key, walkId, runId: order.runId, startedAt, now: parts.clock.now(), checkpoint, brake };
  const { resumed } = course;
  return { ...end, isWhole, isOrderSeen: isOrderSeen(course), resumed, note: walkMessage(course) };
}
