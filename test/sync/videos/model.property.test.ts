/**
 * The model of a walk: a service whose package changes between any two requests. After every run all invariants must hold; once the
 * service stops changing, the warehouse converges to it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/lib/clock.ts';
import {
  changes,
  fields,
  getEffectiveSize,
  growthBelow,
  listIds,
  retitling,
  script,
  type Behaviour,
  type Change,
} from '../../support/models/listed-package.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { often, steps, type Step } from '../../support/models/steps.ts';
import { differences, findViolations, removedRows } from '../../support/models/walk-assertions.ts';
import {
  behave,
  makeTemplate,
  openCase,
  runOnce,
  SECOND_MS,
  startCaseServer,
} from '../../support/models/walk-case.ts';
import type { Ending, RunOfCase, Setup, WalkCase } from '../../support/models/walk-case.ts';
import { rounds } from '../../support/rounds.ts';

const pageSize = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 3, max: 5 }) },
  { weight: 1, arbitrary: fc.integer({ min: 3, max: 9 }) },
);

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  order: fc.constantFrom(
    'id',
    'id',
    'id',
    'id',
    'id',
    'id',
    'id',
    'id',
    'text',
    'arrival',
    'hash',
    'shuffled',
  ),
  size: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ kind: 'requested' as const }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clamped' as const), size: pageSize }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fixed' as const), size: pageSize }) },
  ),
  count: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, -1, 1),
  countStopsAt: often<number | null>(4, null, fc.integer({ min: 3, max: 30 })),
  direction: fc.record({ honoured: fc.boolean(), echoed: fc.boolean() }),
});

const video = fc.record({ id: fc.integer({ min: 1, max: 200 }), fields });
const videos = (maxLength: number) =>
  fc.uniqueArray(video, { maxLength, selector: ({ id }) => id, size: 'max' });

const setup: fc.Arbitrary<Setup> = fc.record({
  videos: fc.oneof(videos(14), videos(14), videos(30), videos(30), videos(60)),
  behaviour,
  pageSize,
  removalBrake: fc.constantFrom(1, 0.2),
  boundaryReads: fc.constantFrom(2, 0.5, 0.05),
  resumeWithinMs: fc.constantFrom(7 * 24 * HOUR_MS, 2 * HOUR_MS),
  isKnown: fc.constantFrom(false, true, true, true),
});

const QUIET: RunOfCase = { script: [], mode: 'full', acceptRemovals: false, ending: { kind: 'completed' } };
const ACCEPTING: RunOfCase = { ...QUIET, acceptRemovals: true };

const request = fc.integer({ min: 1, max: 7 });
const runs = (ending: fc.Arbitrary<Ending>) =>
  steps(
    'run',
    {
      script,
      mode: fc.constantFrom('full', 'full', 'quick'),
      acceptRemovals: often(4, false, fc.constant(true)),
      ending,
    },
    runAndJudge,
  );
const completed = runs(fc.constant({ kind: 'completed' }));
const quietChanges = steps('change', { all: changes }, (one: WalkCase, { all }) => changeNow(one, all));

/** Runs are the most frequent: the other steps matter through the next run. */
const step: fc.Arbitrary<Step<WalkCase>> = fc.oneof(
  completed,
  completed,
  completed,
  quietChanges,
  quietChanges,
  runs(fc.record({ kind: fc.constant('stopped'), request })),
  runs(fc.record({ kind: fc.constant('killed'), request, clockReads: fc.nat(6) })),
  steps('page size', { pageSize }, (one: WalkCase, given) => {
    Object.assign(one.setup, given);
    return one.reopen();
  }),
  steps('behave', { next: behaviour }, (one: WalkCase, { next }) => behave(one, next)),
  steps('wait', { minutes: fc.integer({ min: 1, max: 180 }) }, ({ clock }: WalkCase, { minutes }) =>
    clock.advance(minutes * MINUTE_MS),
  ),
  // a walk is stopped, the list grows below its checkpoint, and it resumes: it must search upward for its position
  steps('grow while paused', { number: request, growthBelow }, async (one: WalkCase, given) => {
    changeNow(one, [retitling]);
    await runAndJudge(one, { ...QUIET, ending: { kind: 'stopped', request: given.number } });
    changeNow(one, given.growthBelow);
    await runAndJudge(one, QUIET);
  }),
);

function changeNow({ clock, quietMoments, listed }: WalkCase, all: readonly Change[]): void {
  clock.advance(SECOND_MS);
  quietMoments.add(clock.now());
  for (const change of all) change.act({ listed, at: clock.now() });
  clock.advance(SECOND_MS);
}

async function runAndJudge(one: WalkCase, options: RunOfCase): Promise<void> {
  const before = removedRows(one);
  const summary = await runOnce(one, options);
  assertNone(one, findViolations(one, before, summary));
}

/** Throws the violations with the last run, as the service saw it. */
function assertNone({ listed, seen }: WalkCase, broken: readonly string[]): void {
  if (broken.length === 0) return;
  const requests = seen.map(
    ({ at, page, size, isDescending, changes: made, ids, totalcount, totalpage, pagesize }) => {
      const text = `${ids.join(' ')} (${totalcount} in ${totalpage} pages of ${pagesize})`;
      const asked = `page ${page} of size ${size}${isDescending ? ', from the top' : ''}`;
      return `  ${toTimestamp(at).slice(11)} ${asked}: ${text} after ${made.join(', ') || 'nothing'}`;
    },
  );
  const behaves = `the service behaves ${JSON.stringify(listed.behaviour)}`;
  throw new Error([...broken, behaves, ...requests].join('\n'));
}

/**
 * The service does not change and is sorted by id. The third walk leaves nothing unsettled where a walk may read across every
 * boundary; elsewhere it takes as many further walks as there are boundaries.
 */
async function converge(one: WalkCase): Promise<void> {
  behave(one, { ...one.listed.behaviour, order: 'id' });
  const pages = Math.ceil(
    listIds(one.listed).length / getEffectiveSize(one.listed.behaviour, one.setup.pageSize),
  );
  const more = one.setup.boundaryReads >= 1 ? 0 : pages;
  for (let walk = 0; walk < 3 + more && (walk < 3 || differences(one).length > 0); walk++) {
    one.clock.advance(HOUR_MS);
    await runAndJudge(one, ACCEPTING);
  }
  assertNone(one, differences(one));
}

/** Long enough to find the smallest case of a failure. */
const TIMEOUT_MS = 600_000;

/** To repeat a failure, take from its report: `VODHOUSE_SEED=… VODHOUSE_PATH=…`. VODHOUSE_RUNS sets the number of cases. */
function getParameters(): fc.Parameters<unknown> {
  const { VODHOUSE_SEED: seed = 1, VODHOUSE_PATH: path, VODHOUSE_RUNS: numRuns = rounds(1500) } = process.env;
  return {
    numRuns: Number(numRuns),
    seed: Number(seed),
    ...(path === undefined ? {} : { path }),
    // a failure is shrunk until then, and reported before the test times out
    plugins: [fc.interruptAfterTimeLimit(TIMEOUT_MS - 30_000, { failOnInterrupt: true })],
  };
}

it(
  'a walk removes nothing that is listed, loses nothing, stays within its requests, and converges to the service',
  async () => {
    const server = await startCaseServer();
    const folder = temporaryFolder();
    const template = makeTemplate(folder);
    let count = 0;
    const all = fc.array(step, { maxLength: 7, size: 'max' });
    const property = fc.asyncProperty(setup, all, async (given, story) => {
      const place = join(folder, `case-${++count}`);
      const one = openCase(server, template, place, given);
      try {
        if (given.isKnown) await runAndJudge(one, ACCEPTING);
        for (const each of story) await each.act(one);
        await converge(one);
      } finally {
        one.pipeline.close();
        rmSync(place, { recursive: true, force: true });
      }
    });
    await expect(fc.assert(property, getParameters())).resolves.toBeUndefined();
  },
  TIMEOUT_MS,
);
