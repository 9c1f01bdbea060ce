/**
 * The model of a walk: a service whose package changes between any two requests, as commands. After
 * every run all invariants must hold; once the service stops changing, the warehouse converges to it.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import { toTimestamp, MINUTE_MS, HOUR_MS } from '../../../src/lib/clock.ts';
import { changes, fields, growthBelow, retitled, script, change, type Change } from './list-changes.ts';
import { HONEST, type Behaviour } from './listed-package.ts';
import { findViolations, removedRows } from './walk-assertions.ts';
import { makeTemplate, openCase, SECOND_MS, startCaseServer } from './walk-case.ts';
import type { Ending, RunOfCase, Setup, WalkCase } from './walk-case.ts';
import { boundaries, differences } from './walk-equality.ts';

const pageSize = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 3, max: 5 }) },
  { weight: 1, arbitrary: fc.integer({ min: 3, max: 9 }) },
);

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  order: fc.oneof(
    { weight: 6, arbitrary: fc.constant('id' as const) },
    { weight: 3, arbitrary: fc.constantFrom('text', 'arrival', 'hash', 'shuffled') },
  ),
  size: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ kind: 'requested' as const }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clamped' as const), size: pageSize }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fixed' as const), size: pageSize }) },
  ),
  count: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0 as const) },
    { weight: 1, arbitrary: fc.constantFrom(-1 as const, 1 as const) },
  ),
  direction: fc.constantFrom(
    { honoured: true, echoed: true },
    { honoured: true, echoed: false },
    { honoured: false, echoed: true },
    { honoured: false, echoed: false },
  ),
});

const video = fc.record({ id: fc.integer({ min: 1, max: 200 }), fields });
const videosUpTo = (most: number) =>
  fc.uniqueArray(video, { maxLength: most, selector: ({ id }) => id, size: 'max' });

const setup: fc.Arbitrary<Setup> = fc.record({
  videos: fc.oneof(
    { weight: 2, arbitrary: videosUpTo(14) },
    { weight: 2, arbitrary: videosUpTo(30) },
    { weight: 1, arbitrary: videosUpTo(60) },
  ),
  behaviour,
  pageSize,
  removalBrake: fc.constantFrom(1, 0.2),
  boundaryReads: fc.constantFrom(2, 0.5, 0.05),
  resumeWithinMs: fc.constantFrom(7 * 24 * HOUR_MS, 2 * HOUR_MS),
  isKnown: fc.constantFrom(false, true, true, true),
});

const request = fc.integer({ min: 1, max: 7 });

const runEnding = (ending: fc.Arbitrary<Ending>) =>
  fc
    .record({
      script,
      mode: fc.constantFrom<RunOfCase['mode'][]>('full', 'full', 'quick'),
      acceptRemovals: fc.constantFrom(false, false, false, false, true),
      ending,
    })
    .map((options) => command(`run ${JSON.stringify(options)}`, (one) => runAndJudge(one, options)));

const completed = runEnding(fc.constant({ kind: 'completed' }));
const stopped = runEnding(fc.record({ kind: fc.constant('stopped' as const), request }));
const killed = runEnding(fc.record({ kind: fc.constant('killed' as const), request, clockReads: fc.nat(6) }));
const setPageSize = pageSize.map((size) =>
  command(`request pages of ${size}`, (one) => one.setPageSize(size)),
);
const behave = behaviour.map((next) =>
  command(`the service behaves ${JSON.stringify(next)}`, (one) => one.behave(next)),
);
const changeQuietly = changes.map((all) =>
  command(`the package changes ${JSON.stringify(all)}`, (one) => changeNow(one, all)),
);
const letTimePass = fc
  .integer({ min: 1, max: 180 })
  .map((minutes) => command(`${minutes} minutes pass`, (one) => one.clock.advance(minutes * MINUTE_MS)));

/** A walk is stopped, the list grows below its checkpoint, and it resumes: it must search upward for its position. */
const growWhilePaused = fc.tuple(request, growthBelow).map(([number, growth]) =>
  command(`stopped at request ${number}, and grows by ${JSON.stringify(growth)}`, async (one) => {
    changeNow(one, [retitled]);
    await runAndJudge(one, { ...QUIET, ending: { kind: 'stopped', request: number } });
    changeNow(one, growth);
    await runAndJudge(one, QUIET);
  }),
);

/** Runs are the most frequent: the other commands matter through the next run. */
const commands = fc.commands(
  [
    ...[completed, completed, completed, stopped, killed, changeQuietly, changeQuietly],
    ...[setPageSize, behave, letTimePass, growWhilePaused],
  ],
  { maxCommands: 7, size: 'max', ...replay() },
);

/** How commands are shrunk depends on which of them ran: fast-check prints that as `replayPath`. */
function replay() {
  const path = process.env['VODHOUSE_REPLAY'];
  return path === undefined ? {} : { replayPath: path };
}

type Command = fc.AsyncCommand<WalkCase, null>;

function command(text: string, act: (one: WalkCase) => Promise<void> | void): Command {
  return { check: () => true, run: async (one) => act(one), toString: () => text };
}

function changeNow({ clock, quietMoments, listed }: WalkCase, all: readonly Change[]): void {
  clock.advance(SECOND_MS);
  quietMoments.add(clock.now());
  change(listed, all, clock.now());
  clock.advance(SECOND_MS);
}

async function runAndJudge(one: WalkCase, options: RunOfCase): Promise<void> {
  const before = removedRows(one);
  const summary = await one.run(options);
  assertNone(one, findViolations(one, before, summary));
}

function assertNone(one: WalkCase, broken: readonly string[]): void {
  if (broken.length > 0) throw new Error([...broken, ...formatHistory(one)].join('\n'));
}

/** The last run, as the service saw it. */
function formatHistory({ listed, seen }: WalkCase): string[] {
  const requests = seen.map(({ at, page, size, isDescending, changes: made, ...result }) => {
    const request = `page ${page} of size ${size}${isDescending ? ', from the top' : ''}`;
    const text = `${result.ids.join(' ')} (${result.totalcount} in ${result.totalpage} pages of ${result.pagesize})`;
    const before = made.length === 0 ? '' : `  after ${made.map(({ kind }) => kind).join(', ')}`;
    return `  ${toTimestamp(at).slice(11)} ${request}: ${text}${before}`;
  });
  return [`the service behaves ${JSON.stringify(listed.behaviour)}`, ...requests];
}

const QUIET: RunOfCase = { script: [], mode: 'full', acceptRemovals: false, ending: { kind: 'completed' } };
const ACCEPTING: RunOfCase = { ...QUIET, acceptRemovals: true };

/**
 * The service does not change and is sorted by id. The third walk leaves nothing unsettled where a walk may
 * read across every boundary; elsewhere it takes as many further walks as there are boundaries.
 */
async function converge(one: WalkCase): Promise<void> {
  one.behave({ ...one.listed.behaviour, order: HONEST.order });
  const more = one.setup.boundaryReads >= 1 ? 0 : boundaries(one);
  for (let walk = 0; walk < 3 + more && (walk < 3 || differences(one).length > 0); walk++) {
    one.clock.advance(HOUR_MS);
    await runAndJudge(one, ACCEPTING);
  }
  assertNone(one, differences(one));
}

/** The timeout of the test: long enough to find the smallest case of a failure. */
export const MODEL_TIMEOUT_MS = 600_000;

/**
 * Runs random cases, the same ones for the same seed; throws fast-check's report of the smallest that
 * violates an invariant. To repeat one, take from that report: `VODHOUSE_SEED=… VODHOUSE_PATH=…
 * VODHOUSE_REPLAY=… npx vitest run test/sync/videos/model.property.test.ts` (VODHOUSE_REPLAY is its `replayPath`).
 * VODHOUSE_RUNS sets the number of cases.
 */
export async function runWalkCases(cases: number, seed: number): Promise<void> {
  const server = await startCaseServer();
  // in memory, if the system has a place: fsync would take longer than the rest of a case
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'vodhouse-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const template = makeTemplate(folder);
  let count = 0;
  const property = fc.asyncProperty(setup, commands, async (given, all) => {
    const place = join(folder, `case-${++count}`);
    const one = openCase(server, template, place, given);
    try {
      if (given.isKnown) await runAndJudge(one, ACCEPTING);
      await fc.asyncModelRun(() => ({ model: one, real: null }), all);
      await converge(one);
    } finally {
      await one.pipeline.close();
      rmSync(place, { recursive: true, force: true });
    }
  });
  await fc.assert(property, fromEnvironment(cases, seed));
}

function fromEnvironment(cases: number, defaultSeed: number): fc.Parameters<unknown> {
  const { VODHOUSE_SEED: seed, VODHOUSE_PATH: path, VODHOUSE_RUNS: runs } = process.env;
  return {
    numRuns: runs === undefined ? cases : Number(runs),
    // a failure is shrunk until then, and reported before the test times out
    plugins: [fc.interruptAfterTimeLimit(MODEL_TIMEOUT_MS - 30_000, { failOnInterrupt: true })],
    seed: Number(seed ?? defaultSeed),
    ...(path === undefined ? {} : { path }),
  };
}
