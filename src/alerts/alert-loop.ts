/** Checks for problems: stores which incidents begin and end, then sends the messages that wait. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Config, NotifyConfig } from '../config/config.ts';
import { commandsFor } from '../health/commands.ts';
import { readHealthFacts, type HealthParts } from '../health/facts.ts';
import { findProblems } from '../health/problems.ts';
import type { IsStale } from '../health/streams.ts';
import { DAY_MS, toTimestamp, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { errorLine } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { redactAll } from '../lib/redact.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import { diffIncidents } from './diff-incidents.ts';
import { formatResolved, toIncidents } from './incidents.ts';
import type { IncidentChanges, Outbox } from './outbox.ts';

export interface AlertLoopParts {
  config: Config & { notify: NotifyConfig };
  statusQueries: StatusQueries;
  outbox: Outbox;
  isStale: IsStale;
  /** Streams without any read become overdue two ticks after this time (ms). */
  watchedSince: number;
  clock: Clock;
  logger: Logger;
  /** Sends the messages that wait. */
  deliver: () => Promise<void>;
  /** Null where nothing is published. */
  publisher: HealthParts['publisher'];
  /** No check begins after it aborts. */
  signal: AbortSignal;
}

/** A worker that was stopped catches up before it reports anything, at most for this time. */
const STARTUP_GRACE_MS = 600_000;
const MAX_ATTEMPTS = 3;
/** The run in progress, and those before it that tell what its problems were. */
const LAST_RUNS = 3;

/** One check at a time. Incidents are reported from `enable` on. */
export function createAlertLoop(parts: AlertLoopParts) {
  const { config, clock, logger, outbox, signal, deliver } = parts;
  const startedAt = clock.now();
  let isEnabled = false;
  let prunedAt: number | null = null;
  let lastError = '';

  /** At the first check, then once a day. */
  function prune(): void {
    const now = clock.now();
    if (prunedAt !== null && Math.abs(now - prunedAt) < DAY_MS) return;
    prunedAt = now;
    outbox.prune(now, config.retention.runsDays);
  }

  async function checkOnce(): Promise<void> {
    try {
      if (isEnabled || Math.abs(clock.now() - startedAt) >= STARTUP_GRACE_MS) await recordChanges(parts);
      prune();
      await deliver();
      lastError = '';
    } catch (error) {
      const message = errorLine(error);
      if (message !== lastError)
        logger.error({ event: 'alert_check_failed', error: message }, `alert check failed: ${message}`);
      lastError = message;
    }
  }

  const { request, idle } = coalesce(checkOnce, signal);
  return { check: request, enable: () => void (isEnabled = true), idle };
}

/** Stores the changes only if no other process stored any since this check began; otherwise checks again. */
async function recordChanges(parts: AlertLoopParts): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const version = parts.outbox.version();
    const changes = await findChanges(parts);
    await yieldToEventLoop();
    const isEmpty = changes.messages.length + changes.updated.length === 0;
    if (isEmpty || parts.outbox.record(changes, version, parts.clock.now())) return;
  }
}

/** Yields between the steps: each takes some milliseconds for a thousand packages. */
async function findChanges(parts: AlertLoopParts): Promise<IncidentChanges> {
  const { config, statusQueries, clock, outbox, isStale, watchedSince, publisher } = parts;
  const { events } = config.notify;
  const now = clock.now();
  const formatCommand = commandsFor(config.file);
  const facts = readHealthFacts({ config, statusQueries, isStale, publisher, formatCommand }, now, LAST_RUNS);
  await yieldToEventLoop();
  const problems = findProblems(facts);
  await yieldToEventLoop();
  const isRunning = facts.runs[0]?.status === 'running'; // it may still read streams without any read
  const isFirstReadOverdue = isStale(toTimestamp(watchedSince), now) && !isRunning;
  const isReported = ({ event }: { event: string }) => events.some((each) => each === event);
  const active = toIncidents(problems, { noticedAt: toTimestamp(now), isFirstReadOverdue }).filter(
    isReported,
  );
  const redactSecrets = <Value>(value: Value) => redactAll(value, config.secrets);
  const cleanActive = active.map(({ text, details, ...incident }) => {
    return { ...incident, text: redactSecrets(text), details: redactSecrets(details) };
  });
  await yieldToEventLoop();
  const [first, ...others] = config.accounts;
  return diffIncidents(cleanActive, outbox.listOpen(now).filter(isReported), {
    now,
    remindAfterMs: config.notify.remindAfterMs,
    formatResolved: (incident) => redactSecrets(formatResolved(config, incident)),
    redact: redactSecrets,
    onlyAccount: first && others.length === 0 ? first.name : null,
  });
}
