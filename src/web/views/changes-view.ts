/** What the page of all changes shows, read from the live file. */
import * as z from 'zod';
import { CHANGES } from '../../queries/named/changes.ts';
import type { Positions } from '../../queries/changes/steps.ts';
import { idParam, textParam } from './query-params.ts';
import { findPackage } from './search-view.ts';
import type { ViewSources } from './status-view.ts';

const CHANGES_PER_PAGE = 50;
const MOST_MS = 1_000;

/** Two positions: `FIRST.LATER`. */
const positionsParam = z
  .string()
  .regex(/^\d{1,15}\.\d{1,15}$/)
  .transform((text): Positions => {
    const [first = 0, later = 0] = text.split('.').map(Number);
    return { first, later };
  });

/** The query of the page. Invalid values are replaced by the defaults. */
export const changesQuery = z.object({
  /** `ACCOUNT/ID`, or the number or the name of a package; null: all. */
  package: textParam,
  kind: z.enum(CHANGES).nullable().catch(null).default(null),
  run: idParam.nullable().catch(null).default(null),
  /** Where an earlier page ended; null: at the newest. */
  from: positionsParam.nullable().catch(null).default(null),
});

export type ChangesQuery = z.output<typeof changesQuery>;
export type ChangesView = Awaited<ReturnType<typeof createChangesView>>;

/** Rejects as `WideReads.changes` does. `result` is null for an unknown package or run. `now` is in ms since 1970. */
export async function createChangesView(
  { config, details, wideReads }: ViewSources,
  query: ChangesQuery,
  { now, signal }: { now: number; signal: AbortSignal },
) {
  const ofPackage = query.package === null ? null : findPackage(config, query.package);
  const isUnknownPackage = query.package !== null && ofPackage === null;
  const isUnknownRun = query.run !== null && !details.hasRun(query.run);
  const request = { kind: query.kind, ofPackage, runId: query.run, from: query.from };
  const isKnown = !isUnknownPackage && !isUnknownRun;
  return {
    ...{ now, query, isUnknownPackage, isUnknownRun },
    result: isKnown
      ? await wideReads.changes({ ...request, limit: CHANGES_PER_PAGE, maxMs: MOST_MS }, signal)
      : null,
  };
}
