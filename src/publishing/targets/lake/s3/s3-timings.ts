/** How long an S3-compatible store may take. */

/** How long requests take, in milliseconds. */
export interface S3Timings {
  /** To open a connection. */
  connectMs: number;
  /** One attempt, connecting and reading included; what it sends and receives gets more, at `bytesPerSecond`. */
  attemptMs: number;
  /** The slowest network that is waited for. */
  bytesPerSecond: number;
  /** No attempt begins later than this after the first one. */
  retryMs: number;
  /** Attempts at most, the first included. */
  attempts: number;
  /** Ceiling of the first pause; it doubles each time, up to `capMs`. */
  baseMs: number;
  capMs: number;
}

export const S3_TIMINGS: S3Timings = {
  ...{ connectMs: 10_000, attemptMs: 30_000, bytesPerSecond: 50_000 },
  ...{ retryMs: 180_000, attempts: 7, baseMs: 200, capMs: 10_000 },
};

/** Aborts when the time for an attempt is over, or the store is closed. */
export function createDeadline(
  closing: AbortSignal,
  { attemptMs, bytesPerSecond }: S3Timings,
  bytes: number,
) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const begun = performance.now();
  let ms = attemptMs + (bytes / bytesPerSecond) * 1000;
  let timer = setTimeout(abort, ms);
  closing.addEventListener('abort', abort);
  if (closing.aborted) abort();
  return {
    signal: controller.signal,
    ms: () => ms,
    isOver: () => controller.signal.aborted && !closing.aborted,
    /** For the bytes of the answer. */
    extend: (received: number) => {
      if (Number.isNaN(received)) return;
      ms += (received / bytesPerSecond) * 1000;
      clearTimeout(timer);
      timer = setTimeout(abort, ms - (performance.now() - begun));
    },
    clear: () => {
      clearTimeout(timer);
      closing.removeEventListener('abort', abort);
    },
  };
}
