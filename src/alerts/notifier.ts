/** Checks for problems: stores which incidents begin and end, then sends the messages. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Config, NotifyConfig } from '../config/config.ts';
import { findProblems } from '../health/catalogue.ts';
import { commandsFor } from '../lib/shell-command.ts';
import { readHealthFacts, type HealthParts } from '../health/facts.ts';
import { fromTimestamp, MINUTE_MS, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { errorLine } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openPublisher } from '../publishing/publisher.ts';
import { openReadOnly } from '../database/connection.ts';
import { CREATED_AT } from '../queries/named/status.ts';
import { createDelivery } from './delivery.ts';
import { createClosing } from './http-call.ts';
import { findChanges } from './incident-changes.ts';
import { openIncidentRows } from './incident-rows.ts';

export type Notifier = NonNullable<ReturnType<typeof openNotifier>>;

export interface NotifierOptions extends Pick<HealthParts, 'isStale'> {
  clock: Clock;
  logger: Logger;
  /**
   * Streams without any read become overdue two ticks after this: `now` for a worker, which reads them first;
   * `always` after an unscoped run, which counts from the creation of the file.
   */
  since: 'now' | 'always';
}

/** A worker that was stopped catches up before it reports anything, at most for this time. */
const STARTUP_GRACE_MS = 10 * MINUTE_MS;
/** How many runs are read: the one in progress, and those before it, which show what problems there were. */
const LAST_RUNS = 3;

/** Opens the notifier over an up-to-date live file; null if the config names no webhook. */
export function openNotifier(config: Config, options: NotifierOptions) {
  const { notify } = config;
  const webhook = notify?.webhook;
  if (!webhook) return null;
  const { clock, logger } = options;
  const closing = createClosing(clock);
  const incidents = openIncidentRows(config.warehouse);
  const withNotify = { ...config, notify };
  const recorder = openRecorder(withNotify, incidents, options);
  const { signal } = closing;
  const deliver = createDelivery({ config: withNotify, webhook, incidents, clock, logger, signal });
  const startedAt = clock.now();
  let isCaughtUp = false;
  let hasRunFinished = false;
  const checkOnce = logNewErrors(logger, async () => {
    await yieldToEventLoop(); // so that the caller of `check` does not wait for the queries below
    const now = clock.now();
    if (isCaughtUp || Math.abs(now - startedAt) >= STARTUP_GRACE_MS) recorder.record(now);
    incidents.prune(now, config.retention.runsDays);
    await deliver();
  });
  const { request: check, idle } = coalesce(async () => (signal.aborted ? undefined : checkOnce()));
  return {
    /**
     * Checks for incidents that begin or end, and sends the messages that wait. One at a time. Never rejects.
     */
    check,
    runFinished: () => void (hasRunFinished = true),
    /**
     * To be called when no run is due any more: from then on incidents are reported. Checks if a run
     * finished.
     */
    caughtUp() {
      isCaughtUp = true;
      if (hasRunFinished) void check();
      hasRunFinished = false;
    },
    /** Waits for calls in progress, at most `withinMs` or until the signal, then closes its connections. */
    async close(withinMs?: number, signal?: AbortSignal) {
      await closing.close(idle(), withinMs, signal);
      incidents.close();
      recorder.close();
    },
  };
}

/** Logs an error once while it lasts. The returned function never rejects. */
function logNewErrors(logger: Logger, work: () => Promise<void>): () => Promise<void> {
  let lastError: string | null = null;
  return async () => {
    try {
      await work();
      lastError = null;
    } catch (error) {
      const message = errorLine(error);
      if (message !== lastError)
        logger.error({ event: 'alert_check_failed', error: message }, `alert check failed: ${message}`);
      lastError = message;
    }
  };
}

/** The returned `record` stores which incidents begin, end and change at a time (ms). */
function openRecorder(
  config: Config & { notify: NotifyConfig },
  incidents: ReturnType<typeof openIncidentRows>,
  { clock, isStale, since }: NotifierOptions,
) {
  const db = openReadOnly(config.warehouse);
  const watchedSince = since === 'always' ? fromTimestamp(CREATED_AT.one(db).at) : clock.now();
  const publisher = openPublisher(config, 'alerts');
  const formatCommand = commandsFor(config.file);
  const parts: HealthParts = { config, db, isStale, publisher, formatCommand, watchedSince };
  return {
    record: (now: number) =>
      incidents.record(
        (open) => findChanges(findProblems(readHealthFacts(parts, now, LAST_RUNS)), open, config, now),
        now,
      ),
    close: (): void => void db.$client.close(),
  };
}
