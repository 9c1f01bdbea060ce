/** What the next load of each target would ship, estimated from the live file. Connects to nothing. */
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { readLoadSizes, type LoadSize } from '../queries/load-sizes.ts';

/** The shape is that of `plan --json` (docs/json.md). */
export interface TargetAccountPlan {
  account: string;
  /** `first`: nothing is loaded yet; `changes`: what changed since; `none`: nothing did. */
  load: 'first' | 'changes' | 'none';
  /** Changes of the warehouse since the last load; of a first load, all of them. */
  changes: number;
  /** About so many; of `changes`, at most. */
  rows: number;
  bytes: number;
}

export interface TargetPlan {
  target: string;
  rows: number;
  bytes: number;
  accounts: TargetAccountPlan[];
}

/** Bytes of a row of `video_tags`, and of a day of storage. */
const TAG_BYTES = 40;
const DAY_BYTES = 150;

/** Empty where there is no live file yet, or no target. Throws WarehouseError if the file cannot be read. */
export function createTargetPlans({ warehouse, publish, accounts }: Config): TargetPlan[] {
  const targets = publish?.targets ?? [];
  if (targets.length === 0 || !existsSync(warehouse)) return [];
  const { sizes, loads } = readLoadSizes(warehouse);
  const configured = new Set(accounts.map(({ name }) => name));
  return targets.map(({ name: target }) => {
    const plans = sizes
      .filter(({ account }) => configured.has(account))
      .map((size) => {
        const load = loads.find((row) => row.target === target && row.account === size.account);
        return planLoad(size, load?.loaded_at == null ? null : (load.change_seq ?? 0));
      });
    const sum = (key: 'rows' | 'bytes') => plans.reduce((total, plan) => total + plan[key], 0);
    return { target, rows: sum('rows'), bytes: sum('bytes'), accounts: plans };
  });
}

/** `mark`: the last change that the target has; null: it has nothing. */
export function planLoad(size: LoadSize, mark: number | null): TargetAccountPlan {
  const { account, lastChange, stateBytes, tagsPerVideo } = size;
  if (mark === null) {
    const tags = Math.round(size.videos * tagsPerVideo);
    return {
      ...{ account, load: 'first', changes: lastChange, rows: size.states + tags + size.days },
      bytes: Math.round(size.states * stateBytes + tags * TAG_BYTES + size.days * DAY_BYTES),
    };
  }
  const changes = Math.max(0, lastChange - mark);
  const tags = Math.round(changes * tagsPerVideo);
  const states = changes * 2; // the new state, and the one that it ends
  return {
    ...{ account, load: changes === 0 ? 'none' : 'changes', changes, rows: states + tags },
    bytes: Math.round(states * stateBytes + tags * TAG_BYTES),
  };
}
