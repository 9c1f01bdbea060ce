/** Searches titles through the live file in parts, so that it ends in time. */
import type { Db } from '../../database/connection.ts';
import {
  FOUND,
  FOUND_IN_PACKAGE,
  LAST_POSITION,
  PART_OF_PACKAGE,
  type FoundVideo,
  type SearchFilter,
} from '../named/search.ts';

export interface Search {
  /** Not case-sensitive; empty: any title, also none. */
  text: string;
  filter: Omit<SearchFilter, 'pattern'>;
  /** Begin below this position; null: at the end. */
  before: number | null;
  limit: number;
  /** After this time it stops between two parts. */
  maxMs: number;
}

export interface SearchResult {
  /** Those stored last first; of one package, the highest id first. */
  videos: FoundVideo[];
  /** Where it goes on; null: all was searched. */
  next: number | null;
  /** Why it stopped before the end: `limit` videos were found, or the time was over. */
  stopped: 'limit' | 'time' | null;
}

/** Videos in a part: some 20 ms. */
const PART = 20_000;

/** Must run in one snapshot. */
export function searchVideos(db: Db, { text, filter, before, limit, maxMs }: Search): SearchResult {
  const until = performance.now() + maxMs;
  const folded = text.toLowerCase();
  const videos: FoundVideo[] = [];
  let upto = before === null ? getLastPosition(db, filter) : before - 1;
  while (upto > 0 || (upto === 0 && filter.package_id !== null)) {
    const after = getPartEnd(db, filter, upto);
    const query = filter.package_id === null ? FOUND : FOUND_IN_PACKAGE;
    const part = query.all(db, { ...filter, pattern: toPattern(folded), after, upto });
    const found = part.filter(({ title }) => (title ?? '').toLowerCase().includes(folded));
    videos.push(...found.slice(0, limit - videos.length + 1));
    if (videos.length > limit) {
      const shown = videos.slice(0, limit);
      return { videos: shown, next: shown.at(-1)?.position ?? null, stopped: 'limit' };
    }
    if (performance.now() > until && after >= 0) return { videos, next: after + 1, stopped: 'time' };
    upto = after;
  }
  return { videos, next: null, stopped: null };
}

function getLastPosition(db: Db, { package_id: id }: Search['filter']): number {
  return id === null ? (LAST_POSITION.one(db, {}).position ?? 0) : Number.MAX_SAFE_INTEGER;
}

function getPartEnd(db: Db, { account, package_id: id }: Search['filter'], upto: number): number {
  if (account === null || id === null) return Math.max(0, upto - PART);
  return PART_OF_PACKAGE.get(db, { account, package_id: id, upto, size: PART })?.position ?? -1;
}

/**
 * For LIKE, which ignores the case of ASCII letters alone: other letters with two cases match anything here, and the caller
 * looks again.
 */
export function toPattern(folded: string): string {
  const characters = Array.from(folded, (each) => {
    if (/[%_\\]/.test(each)) return `\\${each}`;
    return each > '\u007f' && each.toUpperCase() !== each ? '%' : each;
  });
  return `%${characters.join('')}%`.replaceAll(/(?<!\\)%%+/g, '%');
}
