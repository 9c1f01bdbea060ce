import type { KnownDays } from '../../src/warehouse/days.ts';

/** What is known of the days of an account; nothing, but for what is given. */
export function knownDays({
  booked = [],
  gaps = {},
  firstReading = null,
  lastReading = null,
}: {
  booked?: readonly string[];
  gaps?: Record<string, { firstMissedAt?: string; lastAskedAt?: string; givenUp?: boolean }>;
  firstReading?: string | null;
  lastReading?: string | null;
} = {}): KnownDays {
  const entries = Object.entries(gaps).map(([date, gap]) => {
    const whole = {
      firstMissedAt: '2000-01-01 00:00:00',
      lastAskedAt: '2000-01-01 00:00:00',
      givenUp: false,
      ...gap,
    };
    return [date, whole] as const;
  });
  return { booked: new Set(booked), gaps: new Map(entries), firstReading, lastReading };
}
