/** Runs random histories: a real live file is changed, published and loaded; the target must equal the published file. */
import { join } from 'node:path';
import type { TargetConfig } from '../../../src/config/config.ts';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { addDays } from '../../../src/lib/days.ts';
import { publish } from '../../../src/publishing/publish.ts';
import type { LoadReport } from '../../../src/lib/load-report.ts';
import { loadTarget } from '../../../src/publishing/targets/load-target.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';
import { createWalker, EVERYTHING, video } from '../fixtures/package-walker.ts';
import { createPublishRequest } from '../fixtures/published-file.ts';
import { dayRow } from '../fixtures/storage-rows.ts';

import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { ACCOUNTS, PACKAGES, type PastDay, type TargetStep } from './target-steps.ts';

/** The target of a history. */
export interface HistoryTarget {
  config: TargetConfig;
  /** Where it does not have what the published file has; empty if it does. */
  findDifferences: (file: string) => Promise<string[]>;
  /** A number, or several, that each write changes. */
  countWrites: () => Promise<unknown>;
}

interface History {
  live: string;
  file: string;
  clock: VirtualClock;
  warehouse: Warehouse;
  target: HistoryTarget;
  /** The present name of each account. */
  names: string[];
  /** The last name but one of each account. */
  formerNames: Map<string, string>;
  options: { exclude: readonly string[]; durationUnit: 'ms' | 's' };
  renames: number;
}

/** Runs a history, and returns what went wrong as texts; empty if nothing did. */
export async function runTargetHistory(
  steps: readonly TargetStep[],
  target: HistoryTarget,
): Promise<string[]> {
  const live = join(temporaryFolder(), 'live.db');
  const clock = createVirtualClock('2026-03-01T12:00Z');
  const history: History = {
    ...{ live, clock, target, file: join(live, '..', 'out.db'), warehouse: openWarehouse(live, clock) },
    ...{
      names: [...ACCOUNTS],
      formerNames: new Map(),
      options: { exclude: [], durationUnit: 'ms' },
      renames: 0,
    },
  };
  register(
    history,
    Array.from({ length: 6 }, () => true),
  );
  try {
    for (const step of steps) {
      clock.advance(1000);
      const broken = step.kind === 'load' ? await load(history, step.again) : await take(history, step);
      if (broken.length > 0) return broken;
    }
    return [];
  } finally {
    history.warehouse.close();
  }
}

function register({ warehouse, clock, names }: History, isIn: readonly boolean[]): void {
  const accounts = names.map((name, index) => ({
    name,
    packages: PACKAGES.flatMap((id, at) => (isIn[index * PACKAGES.length + at] ? [{ id, name: null }] : [])),
  }));
  warehouse.registerPackages(
    accounts.filter(({ packages }) => packages.length > 0),
    clock.now(),
  );
}

async function take(history: History, step: Exclude<TargetStep, { kind: 'load' }>): Promise<string[]> {
  const { warehouse, clock, names } = history;
  switch (step.kind) {
    case 'walk':
    case 'stop':
      await walk(history, step);
      break;
    case 'days':
      storeDays(history, step);
      break;
    case 'correct':
      correct(history, step);
      break;
    case 'config':
      register(history, step.packages);
      break;
    case 'forget':
      forget(
        history,
        names[step.account] ?? '',
        step.package === null ? null : (PACKAGES[step.package] ?? null),
      );
      break;
    case 'rename': {
      const to = `renamed-${++history.renames}`;
      const from = names[step.account] ?? '';
      if (warehouse.hasAccount(from)) warehouse.renameAccount(from, to);
      history.formerNames.set(to, from);
      history.names[step.account] = to;
      break;
    }
    case 'prune':
      endRun(history, beginRun(history), step.runsDays);
      break;
    case 'options':
      history.options = step;
      break;
    case 'wait':
      clock.advance(step.ms);
  }
  return [];
}

async function walk(history: History, step: Extract<TargetStep, { kind: 'walk' | 'stop' }>): Promise<void> {
  const { warehouse, clock, names } = history;
  const key = { account: names[step.account] ?? '', packageId: PACKAGES[step.package] ?? 0 };
  const isActive = warehouse.listTargetPackages(key).some(({ isRetired }) => isRetired === 0);
  if (!isActive) return;
  const walker = createWalker(warehouse, clock, key);
  const videos = step.shown.map(({ id, members }) => video(id, members));
  const started = await walker.begin();
  const checkpoint = { id: videos[0]?.id ?? null, totalcount: videos.length };
  await walker.page(started, { videos, proof: EVERYTHING, checkpoint });
  clock.advance(90_000);
  if (step.kind === 'walk') await walker.finish(started, { share: 1, minimum: 100 });
  else await walker.stop(started, 'failed');
  endRun(history, started.runId, 90);
}

const beginRun = ({ warehouse, clock }: History) =>
  warehouse.beginRun({
    trigger: 'schedule',
    mode: 'quick',
    now: clock.now(),
    scope: 'a "b"\n',
    origin: null,
  });

function endRun({ warehouse, clock }: History, runId: number, runsDays: number): void {
  warehouse.endRun(runId, {
    ...{
      status: 'partial',
      now: clock.now(),
      error: 'line\r\n\\.\n"quoted",\0',
      failures: [],
      resumeAt: null,
    },
    clockOffsetMs: null,
    retention: { requestsDays: 1, runsDays },
  });
}

const getToday = ({ clock }: History) => createCalendar('Asia/Seoul').dayAt(clock.now());

function storeDays(history: History, { account, live, past }: Extract<TargetStep, { kind: 'days' }>): void {
  const { warehouse, clock, names } = history;
  const today = getToday(history);
  const of = (known: PastDay['known']) =>
    past.filter(
      (day, index) => day.known === known && past.findIndex(({ ago }) => ago === day.ago) === index,
    );
  const toRow = ({ ago, figure }: PastDay) => dayRow(addDays(today, -ago), figure);
  const name = names[account] ?? '';
  const { booked } = warehouse.readDayHistory(name);
  const isOpen = ({ ago }: PastDay) => !booked.has(addDays(today, -ago));
  warehouse.storeDays({
    ...{ account: name, answeredAt: clock.now(), today, drift: [], givenUp: [] },
    live: live === null ? null : dayRow(today, live),
    past: of('booked').map(toRow),
    unconfirmed: of('unconfirmed')
      .filter(isOpen)
      .map((day) => ({ row: toRow(day), reason: 'all zero' })),
    missed: of('missed')
      .filter(isOpen)
      .map(({ ago }) => ({ date: addDays(today, -ago), reason: 'missing', requestedDays: 1 })),
    refused: of('refused').map(({ ago }) => ({
      date: addDays(today, -ago),
      reason: 'a "bad",\n\0 one',
      raw: '{}',
    })),
  });
}

function correct({ warehouse, clock, names }: History, step: Extract<TargetStep, { kind: 'correct' }>): void {
  const account = names[step.account] ?? '';
  const booked = [...warehouse.readDayHistory(account).booked];
  const date = booked[step.day % Math.max(booked.length, 1)];
  if (date === undefined) return;
  warehouse.correctDay({
    account,
    row: dayRow(date, step.figure),
    acceptedAt: clock.now(),
    reason: 'it "was",\\.',
  });
}

/** What is forgotten was retired before, and comes back with the next change of the config. */
function forget(history: History, account: string, packageId: number | null): void {
  const { warehouse, clock, names } = history;
  const active = names.map((name) => ({
    name,
    packages: warehouse
      .listTargetPackages({ account: name, packageId: null })
      .filter(
        (each) =>
          each.isRetired === 0 &&
          !(name === account && packageId === null) &&
          !(name === account && each.packageId === packageId),
      )
      .map((each) => ({ id: each.packageId, name: null })),
  }));
  warehouse.registerPackages(
    active.filter(({ packages }) => packages.length > 0),
    clock.now(),
  );
  warehouse.forget({ account, packageId }, clock.now());
}

/** Publishes, loads and compares; `again`: a second load must write nothing. */
async function load(history: History, again: boolean): Promise<string[]> {
  const { live, file, clock, target, options } = history;
  await publish(createPublishRequest(live, { file, now: clock.now(), ...options }));
  const first = await loadOnce(history, true);
  const wrong = first.filter(({ outcome }) => outcome === 'failed' || outcome === 'refused');
  if (wrong.length > 0) return wrong.map((result) => JSON.stringify(result));
  const unequal = first.flatMap(({ differences }) => differences ?? []);
  const differences = [...unequal, ...(await target.findDifferences(file))];
  if (differences.length > 0 || !again) return differences;
  const before = await target.countWrites();
  const replayed = await loadOnce(history, false);
  const after = await target.countWrites();
  const changed = replayed.filter(({ outcome, rows }) => outcome !== 'unchanged' || rows > 0);
  if (JSON.stringify(before) !== JSON.stringify(after))
    return [`a second load wrote: ${JSON.stringify({ before, after, changed })}`];
  return changed.map((result) => `a second load: ${JSON.stringify(result)}`);
}

function loadOnce({ file, target, names, formerNames }: History, isVerified: boolean): Promise<LoadReport[]> {
  const accounts = names.map((name) => ({ name, was: formerNames.get(name) ?? null }));
  return loadTarget({ target: target.config, file, worker: 'eu-1', accounts, isVerified, force: null });
}
