/** How much of an account a target gets, estimated by counts over indexes and a sample of its videos. */
import { openReadOnly } from '../database/connection.ts';
import { query } from '../database/query.ts';
import { LAST_CHANGES, TARGET_LOADS, type TargetLoadRow } from './named/targets.ts';

export interface LoadSize {
  account: string;
  /** Number of the last change of a video; 0: none. */
  lastChange: number;
  /** Present and superseded states of videos. */
  states: number;
  /** Days and readings of storage. */
  days: number;
  /** Averages of a sample: the text of a state in bytes, and its tags. */
  stateBytes: number;
  tagsPerVideo: number;
  videos: number;
  /** Months in which states were superseded. */
  months: number;
}

const COUNTS = query<
  Record<'videos' | 'versions' | 'months' | 'days' | 'readings', number>,
  { account: string }
>(`
select (select count(*) from video where account = :account) as videos,
  (select count(*) from video_version where account = :account) as versions,
  (select count(distinct substr(valid_to, 1, 7)) from video_version where account = :account) as months,
  (select count(*) from storage_day where account = :account) as days,
  (select count(*) from storage_reading where account = :account) as readings`);

const SAMPLE = query<Record<string, unknown>, { account: string }>(
  'select * from video where account = :account limit 500',
);

/** The sizes of each account that has packages, and what targets have. Throws WarehouseError if the file cannot be read. */
export function readLoadSizes(path: string): { sizes: LoadSize[]; loads: TargetLoadRow[] } {
  const db = openReadOnly(path);
  try {
    const sizes = LAST_CHANGES.all(db, {}).map(({ account, change_seq: lastChange }) => {
      const { videos, versions, months, days, readings } = COUNTS.one(db, { account });
      const sample = SAMPLE.all(db, { account });
      return {
        ...{ account, videos, lastChange, states: videos + versions, months, days: days + readings },
        stateBytes: average(sample.map(countBytes)),
        tagsPerVideo: average(sample.map(countTags)),
      };
    });
    return { sizes, loads: TARGET_LOADS.all(db, {}) };
  } finally {
    db.$client.close();
  }
}

/** Each value as text, and what separates it from the next one. */
const countBytes = (row: Record<string, unknown>): number =>
  Object.values(row).reduce<number>((sum, value) => sum + 1 + Buffer.byteLength(toText(value)), 0);

const countTags = ({ tag }: Record<string, unknown>): number =>
  typeof tag === 'string' && tag !== '' ? tag.split(/[,;]/).length : 0;

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
