/** Sends alerts for a live file; runs do not wait for it. */
import type { Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { openPublisher } from '../publishing/publisher.ts';
import { openStatusQueries } from '../queries/status-queries.ts';
import { createClosing } from './closing.ts';
import { createAlertLoop, type AlertLoopParts } from './alert-loop.ts';
import { createDelivery, type DeliveryParts } from './delivery.ts';
import { openIncidentRows } from './incident-rows.ts';

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

/** Opens the notifier over an up-to-date live file; null if the config names no webhook. */
export function openNotifier(config: Config, options: NotifierOptions) {
  const { notify } = config;
  if (!notify?.webhook) return null;
  const { clock, logger, deadlineMs = DEADLINE_MS } = options;
  const closing = createClosing(clock);
  const call = { clock, logger, deadlineMs, signal: closing.signal };
  const alerts = openAlerts({ ...config, notify }, notify.webhook, options, call);
  let hasRunFinished = false;
  return {
    /** Checks for incidents that begin or end, and sends the messages that wait. One at a time. Never rejects. */
    check: async () => alerts.check(),
    runFinished: () => void (hasRunFinished = true),
    /** No run is due any more: from now on incidents are reported. Checks if a run finished since the last call. */
    caughtUp() {
      alerts.enable();
      if (hasRunFinished) void alerts.check();
      hasRunFinished = false;
    },
    /** Waits for calls in progress, at most `withinMs` or until the signal, then closes its connections. */
    async close(withinMs?: number, signal?: AbortSignal) {
      await closing.close(alerts.idle(), withinMs, signal);
      alerts.close();
    },
  };
}

function openAlerts(
  config: AlertLoopParts['config'],
  webhook: string,
  { isStale, since }: NotifierOptions,
  call: Omit<DeliveryParts, 'config' | 'webhook' | 'incidents'>,
) {
  const incidents = openIncidentRows(config.warehouse);
  const statusQueries = openStatusQueries(config.warehouse);
  const watchedSince = since === 'always' ? fromTimestamp(statusQueries.createdAt()) : call.clock.now();
  const deliver = createDelivery({ ...call, config, incidents, webhook });
  const publisher = openPublisher(config, 'alerts');
  const watched = { statusQueries, incidents, isStale, watchedSince, publisher };
  const loop = createAlertLoop({ ...call, ...watched, config, deliver });
  return {
    ...loop,
    close: () => {
      incidents.close();
      statusQueries.close();
    },
  };
}
