/** Sends alerts and pings for a live file; runs do not wait for it. */
import type { Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { openPublisher } from '../publishing/publisher.ts';
import { openStatusQueries } from '../queries/status-queries.ts';
import { createAlertLoop, type AlertLoopParts } from './alert-loop.ts';
import { createDelivery, type DeliveryParts } from './delivery.ts';
import { ping } from './http-call.ts';
import { openOutbox } from './outbox.ts';

export type Notifier = NonNullable<ReturnType<typeof openNotifier>>;

export interface NotifierOptions extends Pick<AlertLoopParts, 'clock' | 'logger' | 'isStale'> {
  /**
   * Streams without any read become overdue two ticks after this: `now` for a worker, which reads them first; `always`
   * after an unscoped run, which counts from the creation of the file.
   */
  since: 'now' | 'always';
  /** Milliseconds until a response must be there. */
  deadlineMs?: number | undefined;
}

const DEADLINE_MS = 10_000;
const CLOSE_WITHIN_MS = 5_000;

/** Opens the notifier over an up-to-date live file; null if the config names neither a webhook nor a ping. */
export function openNotifier(config: Config, options: NotifierOptions) {
  const { notify } = config;
  if (!notify || (notify.webhook === null && notify.ping === null)) return null;
  const { webhook, ping: url } = notify;
  const { clock, logger, deadlineMs = DEADLINE_MS } = options;
  const closing = new AbortController();
  const call = { clock, logger, deadlineMs, signal: closing.signal };
  const alerts = webhook === null ? null : openAlerts({ ...config, notify }, webhook, options, call);
  const pings = new Set<Promise<void>>();
  let hasRunFinished = false;
  return {
    /** Checks for incidents that begin or end, and sends the messages that wait. One at a time. Never rejects. */
    check: async () => alerts?.check(),
    /** Pings after a good run: unscoped and successful. */
    runFinished(isGood: boolean) {
      hasRunFinished = true;
      if (!isGood || url === null) return;
      const pinging: Promise<void> = ping({ ...call, url }).finally(() => pings.delete(pinging));
      pings.add(pinging);
    },
    /** No run is due any more: from now on incidents are reported. Checks if a run finished since the last call. */
    caughtUp() {
      alerts?.enable();
      if (hasRunFinished) void alerts?.check();
      hasRunFinished = false;
    },
    /** Waits for calls in progress, at most `withinMs` or until the signal, then closes its connections. */
    async close(withinMs = CLOSE_WITHIN_MS, signal?: AbortSignal) {
      const idle = Promise.all([alerts?.idle(), ...pings]);
      const isIdle = new AbortController();
      const early = AbortSignal.any([isIdle.signal, ...(signal ? [signal] : [])]);
      const timeout = clock.sleep(withinMs, early).catch(() => undefined);
      await Promise.race([idle, timeout]);
      isIdle.abort();
      closing.abort();
      await idle;
      alerts?.close();
    },
  };
}

function openAlerts(
  config: AlertLoopParts['config'],
  webhook: string,
  { isStale, since }: NotifierOptions,
  call: Omit<DeliveryParts, 'webhook' | 'outbox'>,
) {
  const outbox = openOutbox(config.warehouse);
  const statusQueries = openStatusQueries(config.warehouse);
  const watchedSince = since === 'always' ? fromTimestamp(statusQueries.createdAt()) : call.clock.now();
  const deliver = createDelivery({ ...call, outbox, webhook });
  const publisher = openPublisher(config, 'alerts');
  const watched = { statusQueries, outbox, isStale, watchedSince, publisher };
  const loop = createAlertLoop({ ...call, ...watched, config, deliver });
  return {
    ...loop,
    close: () => {
      outbox.close();
      statusQueries.close();
    },
  };
}
