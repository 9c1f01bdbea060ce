/** Everything that is published. */
import { ConfigError } from '../../lib/errors.ts';
import { findNearest } from '../../lib/did-you-mean.ts';
import type { Mart, Table } from '../mart.ts';
import { about, dictionary } from './about.ts';
import { catalogDaily } from './catalog.ts';
import { storageCorrections } from './corrections.ts';
import { dates } from './dates.ts';
import { storageDaily, storageReadings } from './storage.ts';
import { packages } from './packages.ts';
import { videoHistory, videos, videoVersions, type VideoOptions } from './videos.ts';
import { wideViews } from './bi-views.ts';

/** The tables by what must be there before them, and the views over them. */
export interface Marts {
  packages: Table;
  videos: Table;
  videoHistory: Table;
  dates: Table;
  storageDaily: Table;
  storageReadings: Table;
  storageCorrections: Table;
  catalogDaily: Table;
  dictionary: Table;
  about: Table;
  /** All of them in the order of the documentation. */
  all: readonly Mart[];
}

/** The marts by these options. Throws ConfigError where a column is to be left out that is none, or is needed. */
export function createMarts(options: VideoOptions): Marts {
  refuseUnknown(options);
  const tables = {
    packages: packages(options),
    videos: videos(options),
    videoHistory: videoHistory(options),
    storageDaily,
    storageReadings,
    storageCorrections,
    catalogDaily: catalogDaily(options.durationUnit),
    dates,
    dictionary,
    about,
  };
  const versions = videoVersions(tables.videoHistory);
  const all = [
    tables.packages,
    tables.videos,
    versions,
    tables.videoHistory,
    tables.storageDaily,
    tables.storageReadings,
    tables.storageCorrections,
    tables.catalogDaily,
    tables.dates,
    ...wideViews({ ...tables, videoVersions: versions }),
    tables.dictionary,
    tables.about,
  ];
  return { ...tables, all };
}

const NEEDED = [
  'package_key',
  'account',
  'package_id',
  'video_id',
  'id',
  'change_seq',
  'valid_from',
  'valid_to',
  'is_current',
  'is_removed',
];

function refuseUnknown({ durationUnit, exclude }: VideoOptions): void {
  const { columns } = videos({ durationUnit, exclude: [] });
  const known = columns
    .filter(({ name }) => !NEEDED.includes(name))
    .flatMap(({ name, source }) => [name, source ?? name]);
  const unknown = exclude.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const words = unknown.map((name) => {
    const meant = findNearest(name, known);
    return `"${name}"${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
  throw new ConfigError(`publish.exclude: ${words.join(', ')} cannot be left out`, {
    hint: `these can: ${[...new Set(known)].join(', ')}`,
  });
}
