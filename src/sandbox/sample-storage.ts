/**
 * Storage statistics of the simulated account by day, made from the files of its videos (docs/service.md 2.3,
 * 4.2).
 */
import type { Calendar } from '../lib/calendar.ts';
import { addDays, listDays } from '../lib/days.ts';
import type { Clock } from '../lib/clock.ts';
import type { StorageRange } from '../service/server/catalogue.ts';
import type { StorageDay } from '../service/storage.ts';

/** How many days before today have a record. */
const PAST_DAYS = 400;

/** Counts a video from a day (`yyyy-mm-dd`) on; with `sign` -1, no longer. */
export type CountFile = (day: string, filesize: number | null, sign: 1 | -1) => void;

/** `read`: the days of a range that have a record, at most up to today. A day that is over never changes. */
export function createStorageDays(calendar: Calendar, clock: Clock) {
  const changes = new Map<string, { videos: number; bytes: number }>();
  const count: CountFile = (day, filesize, sign) => {
    const { videos, bytes } = changes.get(day) ?? { videos: 0, bytes: 0 };
    changes.set(day, { videos: videos + sign, bytes: bytes + sign * (filesize ?? 0) });
  };
  const makeDay = (date: string): StorageDay => {
    const until = [...changes].filter(([day]) => day <= date).map(([, change]) => change);
    const sum = (key: 'videos' | 'bytes') => until.reduce((total, change) => total + change[key], 0);
    return { ...toFigures(sum('videos'), sum('bytes')), date };
  };
  const read = ({ from, to, direction }: StorageRange): StorageDay[] => {
    const today = calendar.dayAt(clock.now());
    const first = addDays(today, -PAST_DAYS);
    const days = listDays({ from: from > first ? from : first, to: to < today ? to : today });
    const records = days.map(makeDay);
    return direction === 'asc' ? records : records.reverse();
  };
  return { count, read };
}

/** Each video has its original, three encoded files and two images; one of fifty has an advertisement. */
function toFigures(videos: number, bytes: number): Omit<StorageDay, 'date'> {
  const ads = Math.floor(videos / 50);
  return {
    mov_org_cnt: videos,
    mov_org_size: bytes,
    encoder_cnt: 3 * videos,
    encoder_size: Math.floor(bytes * 0.7),
    ad_org_cnt: ads,
    ad_org_size: ads * 250_000,
    ad_encoder_cnt: 2 * ads,
    ad_encoder_size: ads * 36_000,
    image_count: 2 * videos,
    image_size: videos * 360_000,
  };
}
