/** The newest moment that the file holds: does it lie ahead of the clock? */
import { desc, max } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { run } from '../schema/runs.ts';
import { storageReading } from '../schema/storage.ts';
import { packageTable } from '../schema/videos.ts';

/** The newest moment of a run, a walk or a live reading; null where there is none. Reads small tables, and one row. */
export function newestMoment(tx: Tx): string | null {
  const ofRuns = tx
    .select({ started: max(run.started_at), finished: max(run.finished_at) })
    .from(run)
    .get();
  const { walked_at, looked_at } = packageTable;
  const ofPackages = tx
    .select({ walked: max(walked_at), looked: max(looked_at) })
    .from(packageTable)
    .get();
  const reading = tx
    .select({ at: storageReading.observed_at })
    .from(storageReading)
    .orderBy(desc(storageReading.reading_id))
    .limit(1)
    .get();
  const moments = [ofRuns?.started, ofRuns?.finished, ofPackages?.walked, ofPackages?.looked, reading?.at];
  return (
    moments
      .flatMap((moment) => moment ?? [])
      .sort()
      .at(-1) ?? null
  );
}
