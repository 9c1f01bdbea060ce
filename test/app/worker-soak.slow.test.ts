import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../src/lib/clock.ts';
import { FIGURES } from '../../src/service/service-fields.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { allDays } from '../support/fixtures/json-page.ts';
import { outageWithin } from '../support/soak/soak-service.ts';
import {
  DAYS,
  END,
  QUICK_MS,
  runSoak,
  RETENTION,
  SEED,
  SINCE,
  SIZES_EVERY,
  START,
  type Soak,
  type SoakRun,
} from '../support/soak/soak.ts';

type Life = Pick<Soak, 'runs' | 'outages'>;

const formatTime = (at: number) => new Date(at).toISOString().slice(0, 19);
const formatRun = ({ id, mode, status, startedAt }: SoakRun) =>
  `run ${id} (${mode}, ${status}) of ${formatTime(startedAt)}`;

/**
 * The ticks of the schedule from the first full hour on; the last full one is after the end, and runs
 * anyway.
 */
function ticks(): { full: number[]; quick: number[] } {
  const first = Math.ceil(START / HOUR_MS) * HOUR_MS;
  const all = Array.from({ length: (DAYS * DAY_MS) / QUICK_MS + 1 }, (_, index) => first + index * QUICK_MS);
  return { full: all.filter((at) => at % HOUR_MS === 0), quick: all.filter((at) => at <= END) };
}

/** Runs that began before the previous one was over. */
const overlaps = ({ runs }: Life): string[] =>
  runs.slice(1).flatMap((run, index) => {
    const before = runs[index] ?? run;
    return run.startedAt < before.finishedAt ? [`${formatRun(run)} overlaps ${formatRun(before)}`] : [];
  });

/**
 * Ticks without a completed run within a minute. While the service pauses the worker, or a run is in
 * progress, the run may begin up to a minute after the end of that.
 */
function unserved(life: Life, due: readonly number[], isKind: (run: SoakRun) => boolean): string[] {
  const started = life.runs.filter(isKind);
  return due.flatMap((tick) => {
    const until = latestFor(life, tick) + MINUTE_MS;
    const isServed = started.some(({ startedAt }) => startedAt >= tick && startedAt <= until);
    return isServed ? [] : [`nothing began at ${formatTime(tick)}`];
  });
}

function latestFor({ runs, outages }: Life, tick: number): number {
  const outage = outageWithin(outages, tick, tick);
  const isPausing = outage?.kind === 'too many' || outage?.kind === 'announced';
  const free = Math.max(tick, isPausing ? outage.pausedUntil : tick);
  const underWay = runs.findLast(({ startedAt }) => startedAt < free);
  return Math.max(free, underWay?.finishedAt ?? free);
}

/** Ticks for which more than one new run began. */
function doubled({ runs }: Life, due: readonly number[], mode: SoakRun['mode']): string[] {
  const fresh = runs.filter((run) => run.mode === mode && !run.goesOn);
  return due.flatMap((tick, index) => {
    const next = due[index + 1] ?? Infinity;
    const of = fresh.filter(({ startedAt }) => startedAt >= tick && startedAt < next);
    return of.length > 1 ? [of.map(formatRun).join(' and ')] : [];
  });
}

/** Runs that did not succeed although the service was healthy. */
const unexplained = ({ runs, outages }: Life): string[] =>
  runs.flatMap((run) => {
    const { status, startedAt, finishedAt, error } = run;
    return status === 'succeeded' || outageWithin(outages, startedAt, finishedAt)
      ? []
      : [`${formatRun(run)}: ${error}`];
  });

const KIB = 1024;

const folder = mkdtempSync(join(tmpdir(), 'vodhouse-soak-'));
const path = join(folder, 'vodhouse.db');
let soak: Soak;

beforeAll(async () => {
  soak = await runSoak(path);
}, DAYS * 30_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`a worker that runs for ${DAYS} days, through bad nights, seed ${SEED}`, () => {
  it('books every day once, with the figures of the service, through every kind of bad night', async () => {
    const faults = ['429 with a time', '503', '503 with a time', 'dropped'];
    expect(Object.keys(soak.service.seen.faults).sort()).toEqual(faults);
    expect(soak.defects).toEqual([]);
    const booked = readRows(path, `select * from storage_day where state = 'booked' order by date`);
    const lastDay = new Date(END - DAY_MS).toISOString().slice(0, 10);
    const served = await allDays(soak.service.sandbox.catalogue, SINCE, lastDay);
    expect(served).toHaveLength(DAYS + 9);
    const figures = ['date', ...FIGURES];
    expect(booked.map((row) => figures.map((name) => row[name]))).toEqual(
      served.map((day) => figures.map((name) => day[name as keyof typeof day])),
    );
    expect(readRows(path, 'select * from storage_discrepancy')).toEqual([]);
    expect(readRows(path, 'select * from storage_gap')).toEqual([]);
  });

  it('runs one at a time, at every tick, and never twice', () => {
    const { full, quick } = ticks();
    expect(full.length).toBeGreaterThan(24 * DAYS - 10);
    expect(overlaps(soak)).toEqual([]);
    expect(unserved(soak, full, ({ mode }) => mode === 'full')).toEqual([]);
    expect(unserved(soak, quick, () => true)).toEqual([]);
    expect(doubled(soak, full, 'full')).toEqual([]);
    expect(doubled(soak, quick, 'quick')).toEqual([]);
  });

  it('succeeds whenever the service is healthy', () => {
    expect(unexplained(soak)).toEqual([]);
  });

  it.each([
    ['run', RETENTION.runsDays, 'unixepoch(min(started_at))'],
    ['walk', RETENTION.runsDays, 'unixepoch(min(started_at))'],
    ['request', RETENTION.requestsDays, 'min(at_ms) / 1000.0'],
  ])('deletes rows of %s when their retention is over, and not before', (table, days, first) => {
    const oldest = (soak.endedAt / 1000 - Number(readValue(path, `select ${first} from ${table}`))) / 86_400;
    expect(oldest).toBeGreaterThan(days - 0.1);
    expect(oldest).toBeLessThan(days + 1);
  });

  it('needs no more memory at the end than after its first days', () => {
    const more = (soak.sizes.at(-1)?.heap ?? Infinity) - (soak.sizes[0]?.heap ?? 0);
    expect(more).toBeLessThan((DAYS / SIZES_EVERY) * KIB ** 2);
  });
});

const KEPT_FOR_EVER = ['video', 'video_version', 'storage_reading', 'storage_day'];
const PRUNED = ['run', 'walk', 'request', 'saved_requests'];

it('its file grows by the rows that are stored for ever, and not by deleted ones', () => {
  const [before, last] = soak.sizes.slice(-2);
  if (!before || !last) throw new Error('the sizes were not read');
  for (const [name, bytes] of last.tables) {
    if (KEPT_FOR_EVER.includes(name)) continue;
    // a package grows, and a walk over it takes one more request
    const share = PRUNED.includes(name) ? 0.2 : 0;
    const earlier = before.tables.get(name) ?? 0;
    expect(bytes, name).toBeLessThanOrEqual((1 + share) * earlier + 8 * KIB);
  }
});
