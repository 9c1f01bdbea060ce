/** How many videos of each package came and went today. */
import type { Db } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { LAST_POSITIONS, VIDEO_CHANGES, type VideoChanges } from '../named/changes.ts';
import { findLastPosition } from './find-changes.ts';

/**
 * Reads what came and went since the day of the service began, at `at` (`YYYY-MM-DD HH:MM:SS` UTC), by
 * package.
 */
export function readTodaysChanges(db: Db, at: string): VideoChanges[] {
  return readSnapshot(db, () => {
    const { later } = LAST_POSITIONS.one(db);
    const position = findLastPosition(db, 'later', later, (each) => each < at);
    return VIDEO_CHANGES.all(db, { at, position });
  });
}
