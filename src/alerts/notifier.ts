/** Tells people of trouble and of good runs, beside the runs: they do not wait for it. */
import type { StatusQueries } from '../queries/status-queries.ts';
import { DEADLINE_MS } from './http-call.ts';
import { createDelivery } from './delivery.ts';
import { createAlertLoop, type AlertLoopParts } from './alert-loop.ts';
import { ping } from './ping.ts';

export interface Notifier {
  /** Notes what begins and ends, and sends what waits; resolves when that is done. One at a time. Never rejects. */
  look(): Promise<void>;
  /** A run ended; pings where it was one over everything and all of it went well. */
  ended(isGood: boolean): void;
  /** Nothing is due any more: from now on what is found is told. Looks where a run ended since it was said last. */
  inStep(): void;
  /** Waits for what is under way, at most so long or until the signal, and closes what it was given. */
  close(withinMs?: number, signal?: AbortSignal): Promise<void>;
}

export interface NotifierParts extends Omit<AlertLoopParts, 'deliver' | 'signal' | 'overview'> {
  overview: AlertLoopParts['overview'] & Pick<StatusQueries, 'close'>;
  /** Milliseconds that an answer may take; left out: 10 s. */
  deadlineMs?: number | undefined;
}

const CLOSE_WITHIN_MS = 5_000;

/** Begins to watch. What was left to be sent is sent at the first look; what begins is told once `inStep` was said. */
export function createNotifier(parts: NotifierParts): Notifier {
  const { config, clock, logger, overview, incidents, deadlineMs = DEADLINE_MS } = parts;
  const { webhook, ping: pingUrl } = config.notify;
  const closing = new AbortController();
  const wire = { clock, logger, deadlineMs, signal: closing.signal };
  const deliver = webhook === null ? null : createDelivery({ ...wire, webhook, incidents });
  const looks = deliver && createAlertLoop({ ...parts, ...wire, deliver });
  const pings = new Set<Promise<void>>();
  let hasEnded = false;
  return {
    look: async () => looks?.look(),
    ended(isGood) {
      hasEnded = true;
      if (!isGood || pingUrl === null) return;
      const call: Promise<void> = ping({ ...wire, ping: pingUrl }).finally(() => pings.delete(call));
      pings.add(call);
    },
    inStep() {
      looks?.mayTell();
      if (hasEnded) void looks?.look();
      hasEnded = false;
    },
    async close(withinMs = CLOSE_WITHIN_MS, signal) {
      const rest = Promise.all([looks?.rest(), ...pings]);
      const isDone = new AbortController();
      const early = AbortSignal.any([isDone.signal, ...(signal ? [signal] : [])]);
      const late = clock.sleep(withinMs, early).catch(() => undefined);
      await Promise.race([rest, late]);
      isDone.abort();
      closing.abort();
      await rest;
      incidents.close();
      overview.close();
    },
  };
}
