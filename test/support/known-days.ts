import type { KnownDays, KnownGap } from '../../src/warehouse/days.ts';
import type { DayRow } from '../../src/warehouse/statements/storage.ts';
import { dayRow } from './storage-rows.ts';

/** What is known of the days of an account; nothing, but for what is given. Booked days have rows of the figure 1. */
export function knownDays({
  booked = [],
  gaps = {},
  rows = [],
  unconfirmed = [],
  disputed = [],
  firstReading = null,
  lastReading = null,
}: {
  booked?: readonly string[];
  gaps?: Record<string, Partial<KnownGap>>;
  rows?: readonly (DayRow & { state: 'live' | 'booked' })[];
  disputed?: readonly string[];
  unconfirmed?: readonly (DayRow & { observedAt: string })[];
  firstReading?: string | null;
  lastReading?: string | null;
} = {}): KnownDays {
  const entries = Object.entries(gaps).map(([date, gap]) => {
    return [date, { lastAskedAt: '2000-01-01 00:00:00', askedDays: 1, givenUp: false, ...gap }] as const;
  });
  const all = [...booked.map((date) => ({ ...dayRow(date, 1), state: 'booked' as const })), ...rows];
  return {
    booked: new Set(all.flatMap(({ state, date }) => (state === 'booked' ? date : []))),
    rows: new Map(all.map((row) => [row.date, row])),
    gaps: new Map(entries),
    disputed: new Set(disputed),
    unconfirmed: new Map(unconfirmed.map((row) => [row.date, row])),
    firstReading,
    lastReading,
  };
}
