/** The registry of everything that is published. */
import { ConfigError } from '../../lib/errors.ts';
import { findNearest } from '../../lib/did-you-mean.ts';
import type { Mart } from '../mart.ts';
import { about, dictionary } from './about.ts';
import { catalogDaily } from './catalog.ts';
import { storageCorrections } from './corrections.ts';
import { dates } from './dates.ts';
import { storageDaily, storageReadings } from './storage.ts';
import { packages } from './packages.ts';
import { runs, walks } from './runs.ts';
import { videoHistory, videos, videoTags, videoVersions, type VideoOptions } from './videos.ts';
import { createWideView } from './bi-views.ts';

export type Marts = ReturnType<typeof createMarts>;

/**
 * The tables by name, and all tables and views in the order of the documentation. Throws ConfigError if an excluded column
 * does not exist, or is needed.
 */
export function createMarts(options: VideoOptions) {
  assertExcludable(options);
  const tables = {
    packages: packages(options.durationUnit),
    videos: videos(options),
    videoHistory: videoHistory(options),
    videoTags: options.exclude.some((name) => name === 'tag' || name === 'tags') ? null : videoTags,
    runs,
    walks,
    storageDaily,
    storageReadings,
    storageCorrections,
    catalogDaily: catalogDaily(options.durationUnit),
    dates,
    dictionary,
    about,
  };
  const versions = videoVersions(tables.videoHistory);
  const wide = (subject: Mart, description: string) => createWideView({ description, subject }, tables);
  const all: readonly Mart[] = [
    ...[
      tables.packages,
      tables.videos,
      versions,
      tables.videoHistory,
      ...(tables.videoTags ? [videoTags] : []),
    ],
    ...[storageDaily, storageReadings, storageCorrections, tables.catalogDaily, dates, runs, walks],
    wide(tables.videos, 'Videos with the name of their package, including removed ones.'),
    createWideView(
      {
        description: 'The videos that are in a configured package now, with the name of their package.',
        subject: tables.videos,
        name: 'bi_videos_now',
        whereFalse: ['s.is_removed', 'p.is_retired'],
      },
      tables,
    ),
    wide(versions, 'Every state of every video, with the name of its package.'),
    wide(storageDaily, 'Storage by day, with the parts of the date.'),
    wide(storageReadings, 'Readings of storage, with the parts of the date.'),
    wide(storageCorrections, 'Corrections of storage, with the parts of the date.'),
    wide(tables.catalogDaily, 'Size of each package by day, with its name and the parts of the date.'),
    wide(walks, 'Walks with the name of their package.'),
    ...[dictionary, about],
  ];
  return { ...tables, all };
}

const NEEDED = [
  ...['package_key', 'account', 'package_id', 'video_id', 'id', 'change_seq'],
  ...['valid_from', 'valid_to', 'is_current', 'is_removed'],
];

function assertExcludable({ durationUnit, exclude }: VideoOptions): void {
  const excludable = videos({ durationUnit, exclude: [] })
    .columns.filter(({ name }) => !NEEDED.includes(name))
    .flatMap(({ name, source }) => [name, source ?? name]);
  const unknown = exclude.filter((name) => !excludable.includes(name));
  if (unknown.length === 0) return;
  const listed = unknown.map((name) => {
    const nearest = findNearest(name, excludable);
    return `"${name}"${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
  });
  throw new ConfigError(`publish.exclude: ${listed.join(', ')} cannot be left out`, {
    hint: `these can: ${[...new Set(excludable)].join(', ')}`,
  });
}
