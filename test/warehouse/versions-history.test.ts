import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromTimestamp, toTimestamp } from '../../src/lib/clock.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import {
  ACCOUNT,
  createWalker,
  type PackageWalker,
  EVERYTHING,
  PACKAGE,
  video,
  type Walk,
} from '../support/fixtures/package-walker.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

/** The catalogue as it was at a moment; the end of a state is exclusive. */
const CATALOGUE = `
select account, package_id, id, title, series, cdate, duration, filesize
from video_version
where removed_at is null and valid_from <= :at and :at < valid_to
  and account = :account and package_id = :package_id
union all
select account, package_id, id, title, series, cdate, duration, filesize
from video
where removed_at is null and changed_at <= :at
  and account = :account and package_id = :package_id
order by account, package_id, id;`;

/** This video is on every page: no walk then removes all videos. The removal limit has separate tests. */
const ANCHOR = { id: 9, title: 'anchor' };

interface Shown {
  id: number;
  title: string | null;
}

/** How a walk ends: removals take effect, are held back, or are dropped with a walk that stops. */
type Ending = 'through' | 'hold' | 'stop';

type Step =
  | { kind: 'page'; shown: readonly Shown[]; proves: boolean }
  | { kind: 'end'; how: Ending }
  | { kind: 'wait'; ms: number };

const shown = fc.record({
  id: fc.integer({ min: 1, max: 5 }),
  title: fc.constantFrom('a', 'b', '', null),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      shown: fc.array(shown, { maxLength: 6 }),
      proves: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      how: fc.constantFrom('through' as const, 'through' as const, 'hold' as const, 'stop' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(400, 1000, 3000, 90_000),
    }),
  },
);
const history = fc.array(step, { minLength: 3, maxLength: 30 });

/** The expected history: the states of each video, in order, with the second from which each is valid. */
function createModel() {
  const histories = new Map<number, { at: number; title: string | null | undefined }[]>();
  const proofs = new Map<number, { at: number; isHeld: boolean; isOfThisWalk: boolean }>();
  const last = (id: number) => histories.get(id)?.at(-1)?.title;
  const addState = (id: number, at: number, title: string | null | undefined) =>
    histories.set(id, [...(histories.get(id) ?? []), { at, title }]);
  /** The first proof retains its time. */
  const prove = (id: number, at: number) =>
    proofs.set(id, { at, isHeld: false, ...proofs.get(id), isOfThisWalk: true });
  return {
    /** A walk begins from scratch: proofs that are not held back are void. */
    begin: () => {
      for (const [id, proof] of proofs) {
        if (!proof.isHeld) proofs.delete(id);
        proof.isOfThisWalk = false;
      }
    },
    page: (list: readonly Shown[], proves: boolean, at: number) => {
      const ids = new Set(list.map(({ id }) => id));
      const missing = [...histories.keys()].filter((id) => last(id) !== undefined && !ids.has(id));
      if (proves) for (const id of missing) prove(id, at);
      for (const { id, title } of list) {
        addState(id, at, title);
        proofs.delete(id);
      }
    },
    hold: () => {
      for (const proof of proofs.values()) proof.isHeld = true;
    },
    /** The proofs of this walk take effect: each is valid from its first proof, however long ago that was. */
    through: () => {
      for (const [id, { at, isOfThisWalk }] of proofs) {
        if (!isOfThisWalk) continue;
        addState(id, at, undefined);
        proofs.delete(id);
      }
    },
    /** Every second at which a state began. */
    seconds: () => [...histories.values()].flatMap((states) => states.map(({ at }) => at)),
    catalogueAt: (at: number): Shown[] =>
      [...histories.entries()]
        .map(([id, states]) => ({ id, title: states.filter((state) => state.at <= at).at(-1)?.title }))
        .filter((each): each is Shown => each.title !== undefined)
        .sort((one, other) => one.id - other.id),
  };
}

type Model = ReturnType<typeof createModel>;

/** Applies a history to a new warehouse and to the model. */
async function play(path: string, steps: readonly Step[]): Promise<Model> {
  const clock = createVirtualClock('2026-03-01T12:00Z');
  const warehouse = openWarehouse(path, clock);
  warehouse.registerPackages([{ name: ACCOUNT, packages: [{ id: PACKAGE, name: null }] }], clock.now());
  const walker = createWalker(warehouse, clock);
  const model = createModel();
  // one walk in order, so that the proofs of the next ones are accepted
  model.page([ANCHOR], true, clock.now());
  await walker.walkOnce([video(ANCHOR.id, { title: ANCHOR.title })]);
  let walk: Walk | null = null;
  for (const each of steps) {
    if (each.kind === 'wait') {
      clock.advance(each.ms);
      continue;
    }
    if (!walk) model.begin();
    walk ??= await walker.begin();
    if (each.kind === 'page') {
      const list = [...each.shown, ANCHOR];
      model.page(list, each.proves, fromTimestamp(toTimestamp(clock.now())));
      const found = list.map(({ id, title }) => video(id, { title }));
      await walker.page(walk, { videos: found, proof: each.proves ? EVERYTHING : null });
    } else {
      await endWalk(walker, walk, each.how, clock.now());
      if (each.how !== 'stop') model[each.how]();
      walk = null;
    }
  }
  warehouse.close();
  return model;
}

async function endWalk(walker: PackageWalker, walk: Walk, how: Ending, now: number) {
  if (how === 'stop') await walker.stop(walk, 'failed');
  else if (how === 'hold') await walker.finish(walk, { share: 0, minimum: 0, confirmBefore: 0 });
  else await walker.finish(walk, { share: 1, confirmBefore: now });
}

/** The moments at which the file and the model differ, with both results. */
function differences(path: string, model: Model) {
  const around = model.seconds().flatMap((at) => [at - 1000, at, at + 1000]);
  return [...new Set(around)].flatMap((ms) => {
    const at = toTimestamp(ms);
    const rows = readRows(path, CATALOGUE, { at, account: ACCOUNT, package_id: PACKAGE });
    const found = JSON.stringify(rows.map(({ id, title }) => ({ id, title })));
    const expected = JSON.stringify(model.catalogueAt(ms));
    return found === expected ? [] : [{ at, found, expected }];
  });
}

describe('the catalogue as it was at any moment', () => {
  it('is what the warehouse had stored and proved by then, through any history', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const path = join(temporaryFolder(), 'live.db');
        const model = await play(path, steps);
        expect(differences(path, model)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
