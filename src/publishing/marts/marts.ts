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

/** Hexadecimal digits of a hash that tells shapes apart. */
const SHAPE_DIGITS = 16;

/**
 * The tables by name, and all tables and views in the order of the documentation. Throws ConfigError if an
 * excluded column does not exist, or is needed.
 */
export function createMarts(options: VideoOptions) {
  assertExcludable(options);
  const tables = createTables(options);
  const all = listMarts(tables);
  return {
    ...tables,
    all,
    filled: listFilled(tables),
    /** Without what only views and vodhouse itself read. */
    documented: all.filter((mart) => mart.kind === 'view' || !mart.isInternal),
    shape: hashShape(all),
  };
}

function createTables(options: VideoOptions) {
  const history = videoHistory(options);
  return {
    packages: packages(options.durationUnit),
    allVideos: allVideos(options),
    videoHistory: history,
    videoEdits: videoEdits(history),
    videoTags: options.exclude.some((name) => name === 'tag' || name === 'tags') ? null : videoTags(options),
    storageDaily,
    packageDaily: packageDaily(options.durationUnit),
    runs,
    walks,
    dates,
    dictionary,
    about,
    internals,
  };
}

/** All tables and views. A view comes after the tables that it reads. */
const listMarts = (tables: ReturnType<typeof createTables>): readonly Mart[] => [
  tables.packages,
  tables.allVideos,
  tables.videoHistory,
  tables.videoEdits,
  videos(tables.allVideos),
  videoVersions(tables.videoHistory),
  videoChanges(tables.videoEdits),
  ...(tables.videoTags ? [tables.videoTags] : []),
  tables.storageDaily,
  tables.packageDaily,
  tables.runs,
  tables.walks,
  tables.dates,
  tables.dictionary,
  tables.about,
  tables.internals,
];

/**
 * The tables that are filled from the live file, in this order, with those that exist only while a file is made:
 * each reads only the live file and tables before it.
 */
const listFilled = (tables: ReturnType<typeof createTables>): readonly (Table | WorkingTable)[] => [
  packageKeys,
  tables.allVideos,
  tables.videoHistory,
  tables.videoEdits,
  stateSpan,
  tables.dates,
  movementByDay,
  ...(tables.videoTags ? [tables.videoTags] : []),
  packageSpan,
  tables.packages,
  packageState,
  accountDay,
  shownDay,
  tables.storageDaily,
  tables.packageDaily,
  tables.runs,
  tables.walks,
];

/** The same for two files whose tables and columns are the same, in form and in meaning. */
function hashShape(marts: readonly Mart[]): string {
  const forms = marts.map((mart) => (mart.kind === 'view' ? { ...mart, selects: createView(mart) } : mart));
  return createHash('sha256').update(JSON.stringify(forms)).digest('hex').slice(0, SHAPE_DIGITS);
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
