import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { toPageContents } from '../../../src/sync/videos/page-contents.ts';
import { provePage } from '../../../src/sync/videos/proof.ts';
import {
  addChanges,
  advance,
  buildWalkEnd,
  createWalkState,
  type Page,
  type WalkOptions,
} from '../../../src/sync/videos/walk-state.ts';
import { createVirtualClock, toMs } from '../../support/clocks/virtual-clock.ts';
import { idsBetween } from '../../support/servers/test-service.ts';

const START = '2026-03-10T16:00Z';
const CHECKPOINT = { id: 6, page: 2, pageSize: 5, totalcount: 8, orderViolated: false, unreadReason: null };
const UNREAD = 'page 1 came with 3 of 5 records';

/** A walk by pages of five in Seoul. Only its clock, its calendar and its rules are used here. */
function createWalk(started: { checkpoint?: typeof CHECKPOINT; lastSize?: typeof CHECKPOINT } = {}) {
  const rules = { removalBrake: 0.2, resumeWithinMs: 0, boundaryReads: 0, getScheduleMs: () => HOUR_MS };
  const context = { clock: createVirtualClock(START), calendar: createCalendar('Asia/Seoul'), walk: rules };
  const key = { account: 'main', packageId: 101 };
  const options = { account: { pageSize: 5 }, key, runId: 7, acceptRemovals: false };
  return createWalkState(
    {
      context: context as unknown as SyncContext,
      options: options as unknown as WalkOptions,
      mode: 'full',
      startedAt: toMs(START),
    },
    { walkId: 3, checkpoint: null, lastSize: null, ...started },
  );
}

type Walk = ReturnType<typeof createWalk>;

/** Reads page `number` of a list of `totalcount` videos, with these ids. */
function read(walk: Walk, number: number, ids: number[], totalcount = 8): void {
  const paging = { page: number, pagesize: 5, totalcount, totalpage: Math.ceil(totalcount / 5) };
  const contents = toPageContents(ids, 0);
  const { above, checkpoint } = walk;
  const { orderViolated } = checkpoint;
  const proof = provePage({ number, pageSize: 5, paging, echo: null, contents, above, orderViolated });
  const facts = { kind: 'read', foreign: null, videos: [], refused: [], ids };
  advance(walk, { number, paging, contents, ...facts } as unknown as Page, proof);
}

/** Reads a list of eight videos completely. */
function readAll(walk: Walk): Walk {
  read(walk, 2, [6, 7, 8]);
  read(walk, 1, idsBetween(1, 5));
  return walk;
}

describe('a walk', () => {
  it('begins at the end of the list, with the page size of the last one', () => {
    expect(createWalk({ lastSize: CHECKPOINT })).toMatchObject({
      ...{ above: 'end', resumedFrom: null, coversWholeList: false },
      checkpoint: { id: null, page: 1, pageSize: 5, totalcount: 0 },
      boundaryReads: { left: 0, isSizeIgnored: false },
    });
  });

  it('resumes where an earlier one stopped: what is above is unknown', () => {
    expect(createWalk({ checkpoint: CHECKPOINT })).toMatchObject({
      ...{ above: null, resumedFrom: 6, checkpoint: CHECKPOINT },
    });
  });

  it('has the lowest id, its page and its neighbour as its checkpoint', () => {
    const walk = createWalk();
    read(walk, 2, [6, 7, 8]);
    expect(walk.checkpoint).toMatchObject({ id: 6, page: 2, totalcount: 8 });
    expect(walk.above).toMatchObject({ number: 2, first: 6, last: 8 });
    read(walk, 1, idsBetween(1, 5), 7);
    expect(walk.checkpoint).toMatchObject({ id: 1, page: 1, totalcount: 7 });
    expect(walk.idsInOrder).toBe(8);
  });

  it('is not moved by a page that proves nothing, and knows no end of the list above it', () => {
    const walk = createWalk();
    read(walk, 2, [6, 7, 7]);
    expect(walk).toMatchObject({
      above: null,
      idsInOrder: 0,
      checkpoint: { id: null, page: 1, totalcount: 8 },
    });
    read(walk, 2, [6, 7, 8]);
    read(walk, 1, [1, 2, 3]);
    expect(walk).toMatchObject({
      above: { number: 2 },
      checkpoint: { id: 6, page: 2, unreadReason: UNREAD },
    });
  });

  it.each([
    ['as long as its count', [6, 7, 8], 0],
    ['longer than its count', [6, 7, 8, 9], 1],
    ['shorter than its count', [6, 7], -1],
  ])('measures by the last page alone how long a list is: %s', (_what, ids, error) => {
    const walk = createWalk();
    read(walk, 2, ids);
    expect(walk.countError).toBe(error);
    read(walk, 1, idsBetween(1, 5));
    expect(walk.countError).toBe(error);
  });

  it('adds up what its pages changed', () => {
    const walk = createWalk();
    const outcome = { inserted: 1, updated: 10, restored: 100, newInQuarantine: 1000 };
    for (let page = 0; page < 2; page++) addChanges(walk, outcome as Parameters<typeof addChanges>[1]);
    expect(walk.changedRows).toBe(2222);
  });
});

describe('the end of a walk', () => {
  it('has the time and the day of the service, and the limit of removals', () => {
    const end = buildWalkEnd(readAll(createWalk()), true);
    expect(end).toMatchObject({
      ...{ account: 'main', packageId: 101, runId: 7, message: null, resumed: false },
      ...{ now: toMs(START), startedAt: toMs(START), day: '2026-03-11', isOrderSeen: true },
      removalLimit: { share: 0.2, minimum: 20, accept: false, confirmBefore: toMs('2026-03-10T15:01Z') },
    });
  });

  it.each([
    [11, false],
    [12, true],
  ])('has seen an order in a part of a list by %d ids: %s', (count, isSeen) => {
    const walk = createWalk();
    walk.idsInOrder = count;
    expect(buildWalkEnd(walk, false).isOrderSeen).toBe(isSeen);
    expect(buildWalkEnd(walk, true).isOrderSeen).toBe(true);
  });

  const NOT_SORTED = 'the list is not sorted by id: nothing is marked removed';
  it.each<[what: string, change: (walk: Walk) => void, message: string | null]>([
    ['all pages proved something', (walk) => void readAll(walk), null],
    [
      'a page proved nothing',
      (walk) => read(walk, 1, [1, 2, 2, 3, 4]),
      '1 page proves no removal (an id twice)',
    ],
    [
      'two pages proved nothing',
      (walk) => {
        for (const number of [2, 1]) read(walk, number, [1, 2, 2, 3, 4]);
      },
      '2 pages prove no removal (an id twice)',
    ],
    [
      'the list is not sorted',
      (walk) => {
        read(walk, 1, [1, 2, 4, 3, 5]);
        walk.checkpoint.orderViolated = true;
      },
      `${NOT_SORTED} (ids do not rise within the page)`,
    ],
    ['an earlier walk found no order', (walk) => void (walk.checkpoint.orderViolated = true), NOT_SORTED],
    [
      'its last page was the whole list',
      (walk) => {
        walk.checkpoint.orderViolated = true;
        read(walk, 1, [1, 2, 3], 3);
      },
      null,
    ],
  ])('has as its message why it proved less than it should: %s', (_what, change, message) => {
    const walk = createWalk();
    change(walk);
    expect(buildWalkEnd(walk, false).message).toBe(message);
  });
});
