/** The live file described: storage by day. */
import * as schema from '../../src/database/schema/storage.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';
import { ACCOUNT } from './video-tables.ts';

const DAY = "Day of the service's calendar, that of `timezone` in the config.";
const pieces = (what: string) => withUnit('pieces', `Number of ${what}, as it came.`);
const bytes = (what: string) => withUnit('bytes', `Size of ${what}, as it came.`);

/** The ten figures of docs/service.md 2.3. */
const FIGURES = {
  mov_org_cnt: pieces('original videos'),
  mov_org_size: bytes('original videos'),
  encoder_cnt: pieces('encoded files'),
  encoder_size: bytes('encoded files'),
  ad_org_cnt: pieces('original video-advertisement files'),
  ad_org_size: bytes('original video-advertisement files'),
  ad_encoder_cnt: pieces('encoded advertisement files'),
  ad_encoder_size: bytes('encoded advertisement files'),
  image_count: pieces('original images'),
  image_size: bytes('original images'),
} as const;

const day = describeTable(
  schema.storageDay,
  'One day of an account. The figures of a past day are its peak or a snapshot of it (the service does not say which), those of today its last reading; NULL where the service left one out.',
  {
    account: ACCOUNT,
    date: DAY,
    ...FIGURES,
    state: enumOf(
      ['live', 'booked'],
      'booked: the day was over and settled; the file itself refuses to change or delete the row. live: the last reading, until the day is booked.',
    ),
    observed_at: 'When the figures were read.',
  },
);

const reading = describeTable(
  schema.storageReading,
  "One reading of a day's figures while that day lasted: the service never tells them again.",
  {
    reading_id: 'Number of the reading, rising.',
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
    discrepancy_id: 'Number of the row, rising.',
    account: ACCOUNT,
    date: DAY,
    field: 'Column of `storage_day` that differs.',
    booked: withUnit(
      'pieces or bytes, as the field',
      'The figure that readers see: as booked, or as last corrected; NULL where it is not known.',
    ),
    observed: withUnit('pieces or bytes, as the field', 'What the service returned later.'),
    observed_at: 'When it first returned that.',
    resolved_at:
      'When the service was back at the figure that readers see, or a person took its figures as a correction; NULL while the two differ.',
  },
);

const correction = describeTable(
  schema.storageCorrection,
  'Figures of a booked day that a person accepted (`vodhouse correct`). Append-only: the file itself refuses to change or delete a row. The newest one of a day is what readers see; the booked row stands.',
  {
    account: ACCOUNT,
    date: DAY,
    accepted_at: 'When it was accepted.',
    ...FIGURES,
    reason: 'Why, in the words of the person who accepted it.',
  },
);

const gap = describeTable(
  schema.storageGap,
  'One past day that was requested and is not booked. Deleted when the day is booked.',
  {
    account: ACCOUNT,
    date: DAY,
    first_missed_at: 'When the day was first requested and not booked.',
    last_asked_at: 'When it was last requested and not booked.',
    given_up_at:
      'When it was given up, after requests on `give_up_days` separate days: from then on it is requested once a month; NULL before that.',
    reason: enumOf(
      schema.GAP_REASONS,
      'missing: not returned. incomplete: returned, but not as a complete record (see `quarantine`). unconfirmed: returned with implausible figures (see `storage_unconfirmed`).',
    ),
    asked_days: withUnit('days', 'Separate days on which it was requested.'),
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
