/** Checks for problems: stores which incidents begin and end, then sends what people are to be told. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Config, NotifyConfig } from '../config/config.ts';
import { findKind, findProblems } from '../health/catalogue.ts';
import { commandsFor } from '../health/commands.ts';
import { readHealthFacts, type HealthParts } from '../health/facts.ts';
import type { Problem } from '../health/problem.ts';
import { DAY_MS, toTimestamp, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { errorLine } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { redactAll } from '../lib/redact.ts';
import type { IncidentChanges, IncidentKey, IncidentRows, OpenIncident } from './incident-rows.ts';

export interface AlertLoopParts extends Pick<HealthParts, 'statusQueries' | 'isStale' | 'publisher'> {
  config: Config & { notify: NotifyConfig };
  incidents: IncidentRows;
  /** Streams without any read become overdue two ticks after this time (ms). */
  watchedSince: number;
  clock: Clock;
  logger: Logger;
  /** Sends the messages that wait. */
  deliver: () => Promise<void>;
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
  const { config, clock, logger, incidents, signal, deliver } = parts;
  const startedAt = clock.now();
  let isEnabled = false;
  let prunedAt: number | null = null;
  let lastError = '';

  /** At the first check, then once a day. */
  function prune(): void {
    const now = clock.now();
    if (prunedAt !== null && Math.abs(now - prunedAt) < DAY_MS) return;
    prunedAt = now;
    incidents.prune(now, config.retention.runsDays);
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

  const { request, idle } = coalesce(async () => (signal.aborted ? undefined : checkOnce()));
  return { check: request, enable: () => void (isEnabled = true), idle };
}

/** Stores the changes only if no other process stored any since this check began; otherwise checks again. */
async function recordChanges(parts: AlertLoopParts): Promise<void> {
  const { incidents, clock } = parts;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const version = incidents.version();
    const changes = await findChanges(parts);
    await yieldToEventLoop();
    const isEmpty = Object.values(changes).every(({ length }) => length === 0);
    if (isEmpty || incidents.record(changes, version, clock.now())) return;
  }
}

/** Yields between the steps: each takes some milliseconds for a thousand packages. */
async function findChanges(parts: AlertLoopParts): Promise<IncidentChanges> {
  const { config, statusQueries, clock, incidents, isStale, watchedSince, publisher } = parts;
  const now = clock.now();
  const formatCommand = commandsFor(config.file);
  const facts = readHealthFacts(
    { config, statusQueries, isStale, publisher, formatCommand, watchedSince },
    now,
    LAST_RUNS,
  );
  await yieldToEventLoop();
  const problems = findProblems(facts);
  await yieldToEventLoop();
  return diffIncidents(problems, incidents.listOpen(), { ...config, now });
}

/** Compares the problems with the open incidents. Those of events that `notify.events` leaves out stay as they are. */
function diffIncidents(
  problems: readonly Problem[],
  openIncidents: readonly OpenIncident[],
  { notify: { events }, secrets, now }: AlertLoopParts['config'] & { now: number },
): IncidentChanges {
  const isReported = ({ event }: Problem['of']) => events.includes(event);
  const active = new Map(
    problems
      .filter(({ of }) => isReported(of))
      .map((problem) => [keyOf({ kind: problem.of.kind, ...problem.scope }), problem]),
  );
  const open = openIncidents.filter((row) => {
    const kind = findKind(row.kind);
    return kind !== undefined && isReported(kind);
  });
  const openKeys = new Set(open.map(keyOf));
  const begins = ({ isFading, causedBy }: Problem) => !isFading && !(causedBy && isReported(causedBy.of));
  return {
    opened: [...active].flatMap(([key, problem]) =>
      openKeys.has(key) || !begins(problem)
        ? []
        : {
            ...{ kind: problem.of.kind, ...problem.scope, since: problem.since ?? toTimestamp(now) },
            ...describe(problem, secrets),
          },
    ),
    closed: open.flatMap((row) => (active.has(keyOf(row)) ? [] : row.id)),
    updated: open.flatMap((row) => {
      const problem = active.get(keyOf(row));
      if (!problem) return [];
      const { text, details } = describe(problem, secrets);
      return row.text === text && row.details === details ? [] : { id: row.id, text, details };
    }),
  };
}

const keyOf = ({ kind, account, packageId, part }: IncidentKey) =>
  JSON.stringify([kind, account, packageId, part]);

function describe({ alertText, fields }: Problem, secrets: Config['secrets']) {
  return { text: redactAll(alertText, secrets), details: JSON.stringify(redactAll(fields, secrets)) };
}
