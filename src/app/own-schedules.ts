/** Packages with their own schedule of full walks: which of them are due, and who walks them. */
import type { Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { nextTick, previousTick } from '../lib/cron-ticks.ts';
import type { PackageKey } from '../lib/package-key.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { dueTrigger, startOf, type DuePackage, type LastRun } from './due.ts';

export type OwnSchedules = ReturnType<typeof openOwnSchedules>;

const keyOf = ({ account, packageId }: PackageKey) => `${account}/${packageId}`;

/** The packages of the config with their own schedule, and their turns in the live file. */
export function openOwnSchedules(
  { accounts, schedule: { timezone } }: Pick<Config, 'accounts' | 'schedule'>,
  { listFullTurns, findLastRun }: Pick<Warehouse, 'listFullTurns' | 'findLastRun'>,
) {
  const packages = accounts.flatMap(({ name: account, packages: configured }) =>
    configured.flatMap(({ id: packageId, full }) => (full === undefined ? [] : { account, packageId, full })),
  );
  const expressions = [...new Set(packages.map(({ full }) => full))];
  const readTurns = () => new Map(listFullTurns().map((turn) => [keyOf(turn), turn]));
  const listDue = (now: number): DuePackage[] => {
    if (packages.length === 0) return [];
    const turns = readTurns();
    const ticks = new Map(expressions.map((each) => [each, previousTick(each, now, timezone)]));
    return packages.flatMap(({ full, ...key }) => {
      const tick = ticks.get(full) ?? 0;
      const at = turns.get(keyOf(key))?.at ?? null;
      const trigger = dueTrigger(tick, now, at === null ? null : { startedAt: at });
      return trigger === null ? [] : { ...key, tick, trigger };
    });
  };
  return {
    /** The packages that had no turn since their last tick before `now` (ms). */
    listDue,
    /** The newest run for packages that were due by their own schedules; null before the first. */
    findLastRun: (): LastRun | null => (packages.length === 0 ? null : findLastRun('own')),
    /**
     * Which packages a run of `schedule.full` walks at `now` (ms): those without their own schedule, those that are due by
     * it, and those whose last full walk failed.
     */
    selectForFullRun: (now: number): ((key: PackageKey) => boolean) => {
      const own = new Set(packages.map(keyOf));
      if (own.size === 0) return () => true;
      const due = new Set(listDue(now).map(keyOf));
      const turns = readTurns();
      return (key) => !own.has(keyOf(key)) || due.has(keyOf(key)) || turns.get(keyOf(key))?.failed === 1;
    },
    /** The first tick of any own schedule after `now` (ms); infinite where there is none. */
    nextTick: (now: number): number => Math.min(...expressions.map((each) => nextTick(each, now, timezone))),
  };
}

/**
 * The packages that wait for a run of their own at `now` (ms): their tick came after the last such run began, or that run was
 * parked and may continue. A full run (`full`: the last one) takes along what is due at its start; what fails in either waits
 * for the next full run, or for its next tick.
 */
export function findWaiting(
  due: readonly DuePackage[],
  now: number,
  { last, full }: Record<'last' | 'full', LastRun | null>,
): DuePackage[] {
  const mayContinue = last?.resumeAt != null && fromTimestamp(last.resumeAt) <= now;
  const isNew = ({ tick }: DuePackage) => mayContinue || tick > startOf(last, now);
  return due.filter((each) => isNew(each) && each.tick > startOf(full, now));
}
