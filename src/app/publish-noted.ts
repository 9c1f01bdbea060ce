/** A publication whose failure is noted in the live file, so that `status` shows it. */
import type { Clock } from '../lib/clock.ts';
import { errorCode, errorLine, hintLine, InterruptedError, LockedError } from '../lib/errors.ts';
import { emptyReport, PUBLISHED_FILE, type LoadReport } from '../publishing/targets/load-report.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { tryToNote } from './worker-notes.ts';
import { transact } from '../database/transaction.ts';
import { recordLoadReports } from '../warehouse/statements/target-loads.ts';

/**
 * As `Publisher.publish`. A publication that is stopped, or that another process makes, is not noted as
 * failed.
 */
export async function publishNoted(
  publisher: Pick<Publisher, 'publish'>,
  { warehouse, clock, logger }: { warehouse: Pick<Warehouse, 'db'>; clock: Clock; logger: Logger },
  signal: AbortSignal,
): Promise<Publication> {
  const store = (report: LoadReport) =>
    transact(warehouse.db, (tx) => recordLoadReports(tx, PUBLISHED_FILE, [report], clock.now()));
  const note = (report: LoadReport) => tryToNote(logger, () => store(report));
  try {
    const publication = await publisher.publish(clock.now(), signal);
    note(emptyReport(PUBLISHED_FILE, 'removed')); // the published file has a row only while it fails
    return publication;
  } catch (thrown) {
    const why = { error: errorLine(thrown), hint: hintLine(thrown), code: errorCode(thrown) || null };
    if (!(thrown instanceof InterruptedError || thrown instanceof LockedError))
      note({ ...emptyReport(PUBLISHED_FILE, 'failed'), ...why });
    throw thrown;
  }
}
