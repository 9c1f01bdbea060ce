/** What the next load of each target would ship, estimated from the live file. Connects to nothing. */
import { existsSync } from 'node:fs';
import type { Config, LakeTargetConfig } from '../config/config.ts';
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
  /** Files of a lake that are written; null for a database. */
  files: number | null;
}

export interface TargetPlan {
  target: string;
  rows: number;
  bytes: number;
  files: number | null;
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
  return targets.map((config) => {
    const { name: target } = config;
    const plans = sizes
      .filter(({ account }) => configured.has(account))
      .map((size) => {
        const load = loads.find((row) => row.target === target && row.account === size.account);
        const mark = load?.loaded_at == null ? null : (load.change_seq ?? 0);
        return config.kind === 'lake' ? planLakeLoad(size, mark, config) : planLoad(size, mark);
      });
    const sum = (key: 'rows' | 'bytes' | 'files') =>
      plans.reduce((total, plan) => total + (plan[key] ?? 0), 0);
    const files = config.kind === 'lake' ? sum('files') : null;
    return { target, rows: sum('rows'), bytes: sum('bytes'), files, accounts: plans };
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
      files: null,
    };
  }
  const changes = Math.max(0, lastChange - mark);
  const tags = Math.round(changes * tagsPerVideo);
  const states = changes * 2; // the new state, and the one that it ends
  return {
    ...{ account, load: changes === 0 ? 'none' : 'changes', changes, rows: states + tags },
    bytes: Math.round(states * stateBytes + tags * TAG_BYTES),
    files: null,
  };
}

/** Bytes of a Parquet file for each byte of text, measured with 6,000 videos of the sandbox. */
const COMPRESSED = { snappy: 0.17, gzip: 0.11 } as const;
/** Rows of a file of videos, and of one of tags. */
const ROWS_OF_FILES = { videos: 250_000, tags: 1_000_000 } as const;
/** The tables of packages, days and corrections: a file each. */
const SMALL_TABLES = 5;

/** A lake has whole files: a change anywhere writes all videos of the account again, and the months of history that it is in. */
export function planLakeLoad(
  size: LoadSize,
  mark: number | null,
  { compression }: Pick<LakeTargetConfig, 'compression'>,
): TargetAccountPlan {
  const { account, videos, stateBytes, days, lastChange } = size;
  const changes = Math.max(0, lastChange - (mark ?? 0));
  if (mark !== null && changes === 0) return { account, load: 'none', changes, rows: 0, bytes: 0, files: 0 };
  const former = mark === null ? size.states - videos : Math.min(changes, size.states - videos);
  const tags = Math.round(videos * size.tagsPerVideo);
  const text = (videos + former) * stateBytes + tags * TAG_BYTES + days * DAY_BYTES;
  const ofHistory = former === 0 ? 0 : mark === null ? size.months : 1;
  return {
    ...{ account, load: mark === null ? 'first' : 'changes', changes, rows: videos + former + tags + days },
    bytes: Math.round(text * COMPRESSED[compression]),
    files:
      Math.ceil(videos / ROWS_OF_FILES.videos) +
      Math.ceil(tags / ROWS_OF_FILES.tags) +
      Math.max(ofHistory, Math.ceil(former / ROWS_OF_FILES.videos)) +
      SMALL_TABLES,
  };
}
