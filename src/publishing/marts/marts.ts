/** The registry of everything that is published. */
import { createHash } from 'node:crypto';
import { ConfigError } from '../../lib/errors.ts';
import { createView, type Mart, type Table, type WorkingTable } from './mart.ts';
import { about, dictionary, internals } from './about.ts';
import { dates } from './dates.ts';
import {
  movementByDay,
  packageDaily,
  packageKeys,
  packageSpan,
  packageState,
  stateSpan,
} from './package-daily.ts';
import { packages } from './packages.ts';
import { runs, walks } from './runs.ts';
import { accountDay, shownDay, storageDaily } from './storage.ts';
import {
  allVideos,
  videoChanges,
  videoEdits,
  videoHistory,
  videos,
  videoTags,
  videoVersions,
} from './videos.ts';
import { NEEDED, UNEXPLAINED, type VideoOptions } from './video-columns.ts';

export type Marts = ReturnType<typeof createMarts>;

/**
 * All tables and views, and those that others work with by name. Throws ConfigError if an excluded column
 * does not exist, or is needed.
 */
export function createMarts(options: VideoOptions) {
  assertExcludable(options);
  const { durationUnit, exclude } = options;
  const history = videoHistory(options);
  const tables = {
    packages: packages(durationUnit),
    allVideos: allVideos(options),
    videoHistory: history,
    videoEdits: videoEdits(history),
    videoTags: exclude.includes('tag') || exclude.includes('tags') ? null : videoTags(options),
    packageDaily: packageDaily(durationUnit),
  };
  const tags = tables.videoTags ? [tables.videoTags] : [];
  const all: readonly Mart[] = [
    tables.packages,
    tables.allVideos,
    tables.videoHistory,
    tables.videoEdits,
    videos(tables.allVideos),
    videoVersions(tables.videoHistory),
    videoChanges(tables.videoEdits),
    ...tags,
    storageDaily,
    tables.packageDaily,
    runs,
    walks,
    dates,
    dictionary,
    about,
    internals,
  ];
  const videoTables = [tables.allVideos, history, tables.videoEdits, ...tags];
  const accountTables = [tables.packages, storageDaily, tables.packageDaily];
  return { ...tables, ...groupOwned(videoTables, accountTables), ...group(all) };
}

/** The tables that have rows of accounts. */
const groupOwned = (videoTables: readonly Table[], accountTables: readonly Table[]) => ({
  /** Their rows have a video: targets load them by `change_seq`. */
  videoTables,
  /** The others. */
  accountTables,
  ownedTables: [...videoTables, ...accountTables],
});

/** `all` is in the order of the documentation. */
const group = (all: readonly Mart[]) => ({
  all,
  tables: all.filter((mart) => mart.kind === 'table'),
  views: all.filter((mart) => mart.kind === 'view'),
  /** In the order in which they are filled: each reads only the live file and what comes before it. */
  filled: [...READ_BY_OTHERS, ...all.filter(isFilledLast)],
  /** Without what only views and vodhouse itself read. */
  documented: all.filter((mart) => mart.kind === 'view' || !mart.isInternal),
  shape: hashShape(all),
});

/** The tables that belong to no account, but to a warehouse. */
export const WAREHOUSE_TABLES: readonly Table[] = [runs, walks, about];

/** Tables that others are filled from. All but the calendar exist only while a file is made. */
const READ_BY_OTHERS: readonly (Table | WorkingTable)[] = [
  packageKeys,
  stateSpan,
  movementByDay,
  packageSpan,
  packageState,
  dates,
  accountDay,
  shownDay,
];

const isFilledLast = (mart: Mart): mart is Table =>
  mart.kind === 'table' && mart.from !== undefined && mart !== dates;

/** The same for two files whose tables and columns are the same, in form and in meaning. */
const hashShape = (marts: readonly Mart[]): string =>
  hashFacts(marts.map((mart) => (mart.kind === 'view' ? { ...mart, selects: createView(mart) } : mart)));

/** Hexadecimal digits of a hash. */
const HASH_DIGITS = 16;

/** A text that differs where the facts differ, which JSON can write. */
export function hashFacts(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, HASH_DIGITS);
}

function assertExcludable({ durationUnit, exclude }: VideoOptions): void {
  const names = allVideos({ durationUnit, exclude: [] }).columns.flatMap(({ name, source }) => [
    name,
    source ?? name,
  ]);
  const excludable = new Set([...names, ...UNEXPLAINED].filter((name) => !NEEDED.includes(name)));
  const unknown = exclude.filter((name) => !excludable.has(name));
  if (unknown.length > 0)
    throw new ConfigError(`publish.exclude: ${unknown.join(', ')} cannot be left out`, {
      hint: `these can: ${[...excludable].join(', ')}`,
    });
}

/** The marts with every column of a video, and its tags. */
export const FULL_MARTS = createMarts({ durationUnit: 'ms', exclude: [] });
