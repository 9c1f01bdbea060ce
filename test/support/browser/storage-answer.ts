/** Responses of `/storage.json` for the charts of the tests. */
import { DAY_MS } from '../../../src/lib/clock.ts';

const GIB = 1024 ** 3;
const NAMES = ['Originals', 'Encoded', 'Ad originals', 'Ad encoded', 'Images'];
const SHARES_GIB = [620, 410, 90, 60, 25];

export interface StorageAnswer {
  account: string;
  names: string[];
  dates: string[];
  sizes: (number | null)[][];
  live: string | null;
}

/**
 * The given number of days up to `last`, which is live; sizes grow by the day. Days `gaps` before the last
 * are unknown.
 */
export function storageAnswer(
  days: number,
  { last = '2026-11-22', gaps = [] as number[] } = {},
): StorageAnswer {
  const end = Date.parse(`${last}T00:00:00Z`);
  const ages = Array.from({ length: days }, (_, at) => days - 1 - at);
  const computeSize = (share: number, age: number) =>
    Math.round(share * GIB * (1 + (days - age) / days + Math.sin(age / 23) / 12));
  return {
    account: 'main',
    names: NAMES,
    dates: ages.map((age) => new Date(end - age * DAY_MS).toISOString().slice(0, 10)),
    sizes: SHARES_GIB.map((share) =>
      ages.map((age) => (gaps.includes(age) ? null : computeSize(share, age))),
    ),
    live: last,
  };
}
