/**
 * The model of a walk: a service of a few packages that change between any two requests, as commands. After
 * every run all invariants must hold; once the service stops changing, the warehouse converges to it.
 */
import fc from 'fast-check';
import { toTimestamp, MINUTE_MS, HOUR_MS } from '../../../src/lib/clock.ts';
import { changes, fields, growthBelow, retitled, script, change, type Change } from './list-changes.ts';
import { HONEST, type Behaviour } from './listed-package.ts';
import { SECOND_MS, type Ending, type PackageSetup, type RunOfCase } from './walk-case.ts';
import type { Setup, WalkCase } from './walk-case.ts';
import { boundaries, differences } from './walk-equality.ts';
import { findViolations, removedRows } from './walk-assertions.ts';

const MOST_PACKAGES = 3;
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

const packageSetup: fc.Arbitrary<PackageSetup> = fc.record({
  videos: fc.oneof(
    { weight: 2, arbitrary: videosUpTo(14) },
    { weight: 2, arbitrary: videosUpTo(30) },
    { weight: 1, arbitrary: videosUpTo(60) },
  ),
  behaviour,
});

export const setup: fc.Arbitrary<Setup> = fc.record({
  packages: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(packageSetup) },
    { weight: 1, arbitrary: fc.array(packageSetup, { minLength: 2, maxLength: MOST_PACKAGES }) },
  ),
  pageSize,
  concurrency: fc.integer({ min: 1, max: 3 }),
  removalBrake: fc.constantFrom(1, 0.2),
  boundaryReads: fc.constantFrom(2, 0.5, 0.05),
  resumeWithinMs: fc.constantFrom(7 * 24 * HOUR_MS, 2 * HOUR_MS),
  isKnown: fc.oneof(
    { weight: 1, arbitrary: fc.constant(false) },
    { weight: 3, arbitrary: fc.constant(true) },
  ),
  turns: fc.nat(99),
});

/** Selects one package: the number wraps around. */
const place = fc.nat(MOST_PACKAGES - 1);
const request = fc.integer({ min: 1, max: 7 });

const runEnding = (ending: fc.Arbitrary<Ending>) =>
  fc
    .record({
      scripts: fc.array(script, { minLength: 1, maxLength: MOST_PACKAGES }),
      mode: fc.constantFrom<RunOfCase['mode'][]>('full', 'full', 'quick'),
      acceptRemovals: fc.oneof(
        { weight: 4, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
      ending,
    })
    .map(run);

const commandKinds = {
  completed: runEnding(fc.constant({ kind: 'completed' })),
  stopped: runEnding(fc.record({ kind: fc.constant('stopped' as const), package: place, request })),
  killed: runEnding(
    fc.record({ kind: fc.constant('killed' as const), package: place, request, clockReads: fc.nat(6) }),
  ),
  setPageSize: pageSize.map(setPageSize),
  behave: fc.tuple(place, behaviour).map(([at, next]) => behave(at, next)),
  changeQuietly: fc.tuple(place, changes).map(([at, all]) => changeQuietly(at, all)),
  growWhilePaused: fc
    .tuple(place, request, growthBelow)
    .map(([at, number, growth]) => growWhilePaused(at, number, growth)),
  letTimePass: fc.integer({ min: 1, max: 180 }).map(letTimePass),
};

/** Runs are the most frequent: the other commands matter through the next run. */
export const commands = fc.commands(
  [
    commandKinds.completed,
    commandKinds.completed,
    commandKinds.completed,
    commandKinds.stopped,
    commandKinds.killed,
    commandKinds.changeQuietly,
    commandKinds.changeQuietly,
    commandKinds.setPageSize,
    commandKinds.behave,
    commandKinds.letTimePass,
    commandKinds.growWhilePaused,
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

function run(options: RunOfCase): Command {
  return command(`run ${JSON.stringify(options)}`, (one) => runAndJudge(one, options));
}

function setPageSize(size: number): Command {
  return command(`request pages of ${size}`, (one) => one.setPageSize(size));
}

function behave(at: number, next: Behaviour): Command {
  return command(`package ${at} behaves ${JSON.stringify(next)}`, (one) =>
    one.behave(packageAt(one, at), next),
  );
}

function changeQuietly(at: number, all: readonly Change[]): Command {
  return command(`package ${at} changes ${JSON.stringify(all)}`, (one) => changeNow(one, at, all));
}

function changeNow(one: WalkCase, at: number, all: readonly Change[]): void {
  one.clock.advance(SECOND_MS);
  one.quietMoments.add(one.clock.now());
  change(packageAt(one, at), all, one.clock.now());
  one.clock.advance(SECOND_MS);
}

/**
 * A walk is stopped, the list grows below its checkpoint, and it resumes: it must search upward for its
 * position.
 */
function growWhilePaused(at: number, number: number, growth: readonly Change[]): Command {
  const text = `package ${at} is stopped at request ${number}, and grows by ${JSON.stringify(growth)}`;
  return command(text, async (one) => {
    changeNow(one, at, [retitled]);
    await runAndJudge(one, { ...QUIET, ending: { kind: 'stopped', package: at, request: number } });
    changeNow(one, at, growth);
    await runAndJudge(one, QUIET);
  });
}

function letTimePass(minutes: number): Command {
  return command(`${minutes} minutes pass`, (one) => one.clock.advance(minutes * MINUTE_MS));
}

function packageAt({ packages }: WalkCase, at: number) {
  const listed = packages[at % packages.length];
  if (!listed) throw new Error('there is no package');
  return listed;
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
function formatHistory({ packages, account }: WalkCase): string[] {
  return packages.flatMap(({ id, behaviour: how }) => [
    `package ${id} behaves ${JSON.stringify(how)}`,
    ...account.seen(id).map(({ at, page, size, isDescending, changes: made, ...result }) => {
      const request = `page ${page} of size ${size}${isDescending ? ', from the top' : ''}`;
      const text = `${result.ids.join(' ')} (${result.totalcount} in ${result.totalpage} pages of ${result.pagesize})`;
      const before = made.length === 0 ? '' : `  after ${made.map(({ kind }) => kind).join(', ')}`;
      return `  ${toTimestamp(at).slice(11)} ${request}: ${text}${before}`;
    }),
  ]);
}

/** Runs one case from its beginning until the service stops changing. */
export async function runWalkCase(one: WalkCase, all: Iterable<Command>): Promise<void> {
  if (one.setup.isKnown) await runAndJudge(one, ACCEPTING);
  await fc.asyncModelRun(() => ({ model: one, real: null }), all);
  await converge(one);
}

const QUIET: RunOfCase = { scripts: [], mode: 'full', acceptRemovals: false, ending: { kind: 'completed' } };
const ACCEPTING: RunOfCase = { ...QUIET, acceptRemovals: true };

/**
 * The service does not change and is sorted by id. The third walk leaves nothing unsettled where a walk may
 * read across every boundary; elsewhere it takes as many further walks as there are boundaries.
 */
async function converge(one: WalkCase): Promise<void> {
  for (const listed of one.packages) one.behave(listed, { ...listed.behaviour, order: HONEST.order });
  await runAndJudge(one, ACCEPTING);
  await laterRun(one);
  await laterRun(one);
  const more = one.setup.boundaryReads >= 1 ? 0 : boundaries(one);
  for (let runs = 0; runs < more && differences(one).length > 0; runs++) await laterRun(one);
  assertNone(one, differences(one));
}

async function laterRun(one: WalkCase): Promise<void> {
  one.clock.advance(HOUR_MS);
  await runAndJudge(one, ACCEPTING);
}
