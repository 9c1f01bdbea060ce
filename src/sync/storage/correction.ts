/** Reads what the service now reports for a booked day, so that a person can accept it as a correction. */
import { ConfigError, RefusedError } from '../../lib/errors.ts';
import { formatOffset } from '../../lib/format.ts';
import { FIGURES, type Figure } from '../../service/service-fields.ts';
import type { BookedDay } from '../../warehouse/store-days.ts';
import type { DayRow } from '../../warehouse/statements/storage.ts';
import type { SyncAccount, SyncContext } from '../context.ts';
import { createRunCalendar } from './date-ranges.ts';
import { classifyDays } from './classify-days.ts';
import { findBookedDay, readDayHistory } from '../../warehouse/store-days.ts';

const NOT_BOOKED_HINT = [
  { command: 'status' },
  ' lists gaps and discrepancies; ',
  { command: 'sync --storage' },
  ' books what is due',
];

/** A booked day, and what the service reports for it now. */
export interface CorrectionOffer extends BookedDay {
  observed: DayRow;
  /** The figures that a correction would change; empty if readers already see them. */
  differing: readonly Figure[];
}

/**
 * Requests one booked day. Throws ConfigError if the day is not booked or the account has no storage,
 * RefusedError if the service returns no complete record or its clock contradicts the machine's, and what the
 * client throws.
 */
export async function readCorrection(
  { warehouse, calendar, clock }: Pick<SyncContext, 'warehouse' | 'calendar' | 'clock'>,
  { account, date, signal }: { account: SyncAccount; date: string; signal: AbortSignal },
): Promise<CorrectionOffer> {
  const { name, storage: rules, clockCheck, client } = account;
  if (!rules)
    throw new ConfigError(`account ${name} has no storage statistics: the config names no \`storage\``);
  const bookedDay = findBookedDay(warehouse.db, name, date);
  if (!bookedDay) {
    const message = `${date} of account ${name} is not booked: there is nothing to correct`;
    throw new ConfigError(message, { hint: NOT_BOOKED_HINT });
  }
  clockCheck.reset();
  const range = { from: date, to: date };
  const answer = await client.storageDays({ ...range, purpose: 'storage', runId: null, signal });
  const dates = clockCheck.result();
  if (dates.isOff) {
    const message = `account ${name}: ${formatOffset(dates.differenceMs ?? 0)}`;
    throw createRefusal(message, "set the machine's clock first");
  }
  const history = readDayHistory(warehouse.db, name);
  const day = createRunCalendar(calendar, clock.now(), rules, history);
  const context = { range, day, history, rules, calendar, clock: dates, gapsFrom: day.since };
  const days = classifyDays(answer, context);
  const [observed] = days.past;
  if (!observed) {
    const reason = days.refused[0]?.reason;
    const why = reason === undefined ? 'the service returns no record of it' : `the record is ${reason}`;
    throw createRefusal(`account ${name}, ${date}: ${why}`, 'nothing was corrected; try again later');
  }
  const shown = bookedDay.corrected ?? bookedDay.booked;
  return {
    ...bookedDay,
    observed,
    differing: FIGURES.filter((figure) => observed[figure] !== shown[figure]),
  };
}

function createRefusal(message: string, hint: string): RefusedError {
  return new RefusedError(message, { fault: 'shape', hint });
}
