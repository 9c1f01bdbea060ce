/** A budget in two sliding windows, like src/budget/budget.ts: a ring of request times for each. */

export interface SlidingLimits {
  perMinute: number;
  perDay: number | null;
  maxWaitMs: number;
}

export interface SlidingBudget {
  /**
   * Advances the clock to when a request may be sent, and returns null; or the time of the next slot, if that
   * is too late.
   */
  admit(): number | null;
  requests(): number;
}

/** A request occupies its slot until a window after its response. */
const ANSWER_MS = 300;

export function createSlidingBudget(
  { perMinute, perDay, maxWaitMs }: SlidingLimits,
  clock: { now: number },
): SlidingBudget {
  const windows = [createWindow(perMinute, 60_000)];
  if (perDay !== null) windows.push(createWindow(perDay, 86_400_000));
  let requests = 0;
  return {
    admit: () => {
      const freeAt = Math.max(clock.now, ...windows.map((window) => window.freeAt()));
      if (freeAt - clock.now > maxWaitMs) return freeAt;
      clock.now = freeAt;
      for (const window of windows) window.take(freeAt + ANSWER_MS);
      requests++;
      return null;
    },
    requests: () => requests,
  };
}

function createWindow(limit: number, ms: number) {
  const moments = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  let oldest = 0;
  return {
    freeAt: () => (moments[oldest] ?? 0) + ms + 1,
    take: (at: number) => {
      moments[oldest] = at;
      oldest = (oldest + 1) % limit;
    },
  };
}
