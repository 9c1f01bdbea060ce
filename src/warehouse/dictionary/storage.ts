/** The live file described: storage by day. */
import * as schema from '../schema/storage.ts';
import { describeTable, inUnit, oneOf } from './live-table.ts';
import { ACCOUNT } from './videos.ts';

const DAY = "Day of the service's calendar, that of `timezone` in the config.";
const pieces = (what: string) => inUnit('pieces', `Number of ${what}, as it came.`);
const bytes = (what: string) => inUnit('bytes', `Size of ${what}, as it came.`);

/** The ten figures of service.md 2.3. */
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
    state: oneOf(
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
  'One figure of a booked day that the service later told otherwise. What is booked stands.',
  {
    discrepancy_id: 'Number of the row, rising.',
    account: ACCOUNT,
    date: DAY,
    field: 'Column of `storage_day` that differs.',
    booked: inUnit(
      'pieces or bytes, as the field',
      'What is booked; NULL where the service had left the figure out.',
    ),
    observed: inUnit(
      'pieces or bytes, as the field',
      'What the service said later; NULL where it left the figure out.',
    ),
    observed_at: 'When it first said so.',
  },
);

const gap = describeTable(
  schema.storageGap,
  'One past day that was asked for and not returned. Gone when the day comes after all.',
  {
    account: ACCOUNT,
    date: DAY,
    first_missed_at: 'When the day was first asked for in vain.',
    last_asked_at: 'When it was last asked for in vain.',
    given_up_at:
      'When it was given up (`give_up_days` of the config): it is asked for no more; NULL before that.',
  },
);

export const STORAGE_TABLES = [day, reading, discrepancy, gap];
