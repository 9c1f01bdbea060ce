/** Packages with their own schedule of full walks: which of them are due, and who walks them. */
import type { Config } from '../config/config.ts';
import { previousTick } from '../lib/cron-ticks.ts';
import type { PackageKey } from '../sync/package-key.ts';
import { listFullTurns } from '../warehouse/statements/package.ts';
import { findLastRun } from '../warehouse/statements/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { startOf, triggerOf, type Due, type LastRun } from './due.ts';

export type OwnSchedules = ReturnType<typeof openOwnSchedules>;

const keyOf = ({ account, packageId }: PackageKey) => `${account}/${packageId}`;

/** The packages of the config with their own schedule, and their turns in the live file. */
export function openOwnSchedules(
  { accounts, schedule: { timezone } }: Pick<Config, 'accounts' | 'schedule'>,
  { db }: Pick<Warehouse, 'db'>,
) {
  const packages = accounts.flatMap(({ name: account, packages: configured }) =>
    configured.flatMap(({ id: packageId, full }) => (full === undefined ? [] : { account, packageId, full })),
  );
  /** Each package with its last tick (ms), whether its last turn was before that, and whether it failed. */
  const readStates = (now: number) => {
    const turns = new Map(listFullTurns(db).map((turn) => [keyOf(turn), turn]));
    const ticks = new Map(packages.map(({ full }) => [full, previousTick(full, now, timezone)]));
    return packages.map(({ full, account, packageId }) => {
      const turn = turns.get(keyOf({ account, packageId }));
      const tick = ticks.get(full) ?? 0;
      const isDue = startOf(turn?.at ?? null, now) < tick;
      return { account, packageId, tick, isDue, hasFailed: turn?.failed === 1 };
    });
  };
  return {
    /**
     * A run at `now` (ms) for the packages whose tick came after the last such run and the last full one
     * began; null for none. What fails in it waits for the next full run, or for its next tick.
     */
    findDue: (now: number, lastFull: LastRun | null): Due | null => {
      if (packages.length === 0) return null;
      const lastRuns = [findLastRun(db, 'own'), lastFull];
      const since = Math.max(...lastRuns.map((run) => startOf(run?.startedAt ?? null, now)));
      const waiting = readStates(now).filter(({ isDue, tick }) => isDue && tick > since);
      if (waiting.length === 0) return null;
      const trigger = triggerOf(Math.max(...waiting.map(({ tick }) => tick)), now);
      const keys = waiting.map(({ account, packageId }) => ({ account, packageId }));
      return { mode: 'full', trigger, resumesFrom: null, packages: keys };
    },
    /**
     * Which packages a run of `schedule.full` walks at `now` (ms): those without their own schedule, those
     * that are due by it, and those whose last full walk failed.
     */
    selectForFullRun: (now: number): ((key: PackageKey) => boolean) => {
      if (packages.length === 0) return () => true;
      const others = readStates(now).filter(({ isDue, hasFailed }) => !isDue && !hasFailed);
      const left = new Set(others.map(keyOf));
      return (key) => !left.has(keyOf(key));
    },
  };
}
