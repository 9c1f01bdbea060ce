/** Walks a package past the network: pages go straight into the warehouse. */
import { readVideo, type Video } from '../../src/service/videos.ts';
import type { PageToStore } from '../../src/warehouse/pages.ts';
import type { Mode, Status } from '../../src/warehouse/schema/runs.ts';
import type { Checkpoint } from '../../src/warehouse/statements/walk.ts';
import type { SqliteWarehouse } from '../../src/warehouse/warehouse.ts';
import type { BegunWalk, Brake, Removals } from '../../src/warehouse/walks.ts';
import { videoRecord } from './service-answers.ts';
import type { VirtualClock } from './virtual-clock.ts';

export const ACCOUNT = 'main';
export const PACKAGE = 101;
export const KEY = { account: ACCOUNT, packageId: PACKAGE };

/** The ids of a whole list. */
export const EVERYTHING = { low: 1, high: Number.MAX_SAFE_INTEGER };

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** A video with this id as the service sent it; members are replaced or added. */
export function video(id: number, members: Record<string, unknown> = {}): Video {
  const read = readVideo(videoRecord(id, members));
  if ('refused' in read) throw new Error(read.refused.reason);
  return read.video;
}

export function videos(ids: readonly number[], members: Record<string, unknown> = {}): Video[] {
  return ids.map((id) => video(id, members));
}

export type Page = Partial<Omit<PageToStore, 'account' | 'packageId' | 'walkId' | 'checkpoint'>> & {
  checkpoint?: Partial<Checkpoint>;
};

/** A walk under way. */
export interface Walk extends BegunWalk {
  runId: number;
  mode: Mode;
  checkpointNow: Checkpoint;
}

export function createWalker(warehouse: SqliteWarehouse, clock: VirtualClock) {
  async function begin(options: { mode?: Mode; resumeWithinMs?: number } = {}): Promise<Walk> {
    const now = clock.now();
    const runId = await warehouse.beginRun({
      trigger: 'manual',
      mode: 'full',
      now,
      scope: null,
      origin: null,
    });
    const begun = await warehouse.beginWalk({
      ...KEY,
      runId,
      now,
      mode: options.mode ?? 'full',
      resumeWithinMs: options.resumeWithinMs ?? WEEK_MS,
    });
    const start = { id: null, page: 1, pageSize: 1000, totalcount: 0, orderViolated: false, unread: null };
    const mode = options.mode ?? 'full';
    return { ...begun, runId, mode, checkpointNow: begun.checkpoint ?? start };
  }

  async function page(walk: Walk, { checkpoint, ...rest }: Page) {
    walk.checkpointNow = { ...walk.checkpointNow, ...checkpoint };
    const outcome = await warehouse.storePage({
      ...KEY,
      walkId: walk.walkId,
      page: 1,
      answeredAt: clock.now(),
      videos: [],
      refused: [],
      drift: [],
      proof: null,
      isWhole: false,
      gap: null,
      mark: null,
      ...rest,
      checkpoint: walk.checkpointNow,
    });
    const { inserted, updated, unchanged, restored, quarantined, unsettled } = outcome;
    return { inserted, updated, unchanged, restored, quarantined, unsettled };
  }

  async function finish(walk: Walk, brake: Partial<Brake> = {}): Promise<Omit<Removals, 'newlyHeld'>> {
    const now = clock.now();
    const { removed, heldBack } = await warehouse.finishWalk({
      ...KEY,
      walkId: walk.walkId,
      runId: walk.runId,
      startedAt: now,
      now,
      isWhole: false,
      isOrderSeen: true,
      resumed: false,
      note: null,
      checkpoint: walk.checkpointNow,
      brake: {
        share: 0.2,
        least: 20,
        confirmBefore: now - HOUR_MS,
        accept: false,
        ...brake,
      },
    });
    return { removed, heldBack };
  }

  async function stop(walk: Walk, status: Status): Promise<void> {
    const { walkId, runId, mode } = walk;
    const end = { now: clock.now(), status, error: `it was ${status}` };
    await warehouse.stopWalk({ ...KEY, walkId, mode, runId, ...end });
  }

  return {
    begin,
    page,
    finish,
    stop,
    /** One walk whose only page is the whole list. */
    whole: async (list: readonly Video[], brake: Partial<Brake> = {}) => {
      const walk = await begin();
      const checkpoint = { id: list[0]?.id ?? null, totalcount: list.length };
      await page(walk, { videos: list, proof: EVERYTHING, checkpoint });
      return finish(walk, brake);
    },
  };
}
