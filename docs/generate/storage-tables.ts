/** The tables of the live file: storage by day. */
import * as schema from '../../src/database/schema/storage.ts';
import { STORAGE_FIELDS } from '../../src/lib/service-fields.ts';
import { describeFields, describeTable, enumOf, withUnit } from './describe-table.ts';
import { ACCOUNT } from './video-tables.ts';

const DAY = "Day of the service's calendar, that of `timezone` in the config.";
const FIGURES = describeFields(STORAGE_FIELDS);

const day = describeTable(
  schema.storageDay,
  'One day of an account. The figures of a past day are its peak or a snapshot of it (the service does not say which), those of today are its last reading; NULL if the service left one out.',
  {
    account: ACCOUNT,
    date: DAY,
    ...FIGURES,
    state: enumOf(
      ['live', 'booked'],
      'booked: the day was over and settled; triggers reject any change of the row. live: the last reading, until the day is booked.',
    ),
    observed_at: 'When the figures were read.',
  },
);

const reading = describeTable(
  schema.storageReading,
  'One reading of a day that was not over: the service does not return these figures again.',
  {
    reading_id: 'Number of the reading, increasing.',
    account: ACCOUNT,
    observed_at: 'When the figures were read.',
    date: DAY,
    ...FIGURES,
  },
);

const discrepancy = describeTable(
  schema.storageDiscrepancy,
  'One figure of a booked day that the service later returned differently. The booked row never changes.',
  {
    discrepancy_id: 'Number of the row, increasing.',
    account: ACCOUNT,
    date: DAY,
    field: 'Column of `storage_day` that differs.',
    booked: withUnit(
      'pieces or bytes, as the field',
      'The figure that readers see: as booked, or as last corrected; NULL if it is unknown.',
    ),
    observed: withUnit('pieces or bytes, as the field', 'What the service returned later.'),
    observed_at: 'When it first returned that.',
    resolved_at:
      'When the service returned the figure that readers see again, or a person accepted its figures as a correction; NULL while the two differ.',
  },
);

const correction = describeTable(
  schema.storageCorrection,
  'Figures of a booked day that a person accepted (`vodhouse correct`). Append-only: triggers reject any change. Readers see the newest one of a day; the booked row stays.',
  {
    account: ACCOUNT,
    date: DAY,
    accepted_at: 'When it was accepted.',
    ...FIGURES,
    reason: 'The reason that the person who accepted it gave.',
  },
);

const gap = describeTable(
  schema.storageGap,
  'One past day that was requested and is not booked. Deleted when the day is booked.',
  {
    account: ACCOUNT,
    date: DAY,
    first_missed_at: 'When the day was first requested and not booked.',
    last_requested_at: 'When it was last requested and not booked.',
    given_up_at:
      'When vodhouse gave up, after requests on `give_up_days` separate days: the day is then requested once a month; NULL before that.',
    reason: enumOf(
      schema.GAP_REASONS,
      'missing: not returned. incomplete: returned, but not as a complete record (see `quarantine`). unconfirmed: returned with implausible figures (see `storage_unconfirmed`).',
    ),
    requested_days: withUnit('days', 'Separate days on which it was requested.'),
  },
);

const unconfirmed = describeTable(
  schema.storageUnconfirmed,
  'Implausible figures of a past day: booked when the service returns the same at least an hour later.',
  {
    account: ACCOUNT,
    date: DAY,
    ...FIGURES,
    reason: 'Why they are implausible.',
    observed_at: 'When these figures were first returned.',
  },
);

export const STORAGE_TABLES = [day, reading, discrepancy, correction, gap, unconfirmed];
