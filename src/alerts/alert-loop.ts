/** Looks again and again: what begins and ends is noted, and what waits is sent. */
import { setImmediate as breath } from 'node:timers/promises';
import type { Config, NotifyConfig } from '../config/config.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { Changes, Incidents } from './outbox.ts';
import { diffIncidents, isNothing } from './diff-incidents.ts';
import { readAlertInputs, withoutSecrets, type FactParts } from './alert-inputs.ts';
import { findIncidents, type ActiveProblem } from './rules.ts';
import { resolvedText } from './messages.ts';

export interface AlertLoopParts extends FactParts {
  config: Config & { notify: NotifyConfig };
  incidents: Incidents;
  clock: Clock;
  logger: Logger;
  /** Sends what waits. */
  deliver: () => Promise<void>;
  /** No look begins after it aborts. */
  signal: AbortSignal;
}

export interface AlertLoop {
  /** Notes and sends; resolves when that is done, also what came meanwhile. One at a time. Never rejects. */
  look(): Promise<void>;
  /** From now on what is found is told. */
  mayTell(): void;
  /** Resolves when nothing is under way. */
  rest(): Promise<void>;
}

/** A worker that was off all night catches up first; but trouble is not waited with for longer than this. */
const STARTUP_GRACE_MS = 600_000;

/** Begins with nothing under way, and what is found is not told yet. */
export function createAlertLoop(parts: AlertLoopParts): AlertLoop {
  const { clock, logger, signal, deliver } = parts;
  const beganAt = clock.now();
  const prune = createPruning(parts);
  let enableAlerts = false;
  let trouble = '';
  let atWork: Promise<void> | null = null;
  let looks = 0;

  async function lookOnce(): Promise<void> {
    try {
      if (enableAlerts || Math.abs(clock.now() - beganAt) >= STARTUP_GRACE_MS) await noteChanges(parts);
      prune();
      await deliver();
      trouble = '';
    } catch (error) {
      const message = errorMessage(error);
      if (message !== trouble) logger.error(`nobody could be told how things stand: ${message}`);
      trouble = message;
    }
  }

  async function lookAgain(): Promise<void> {
    for (let served = -1; served !== looks && !signal.aborted;) {
      served = looks;
      await lookOnce();
    }
  }

  return {
    look() {
      looks++;
      return (atWork ??= lookAgain().finally(() => (atWork = null)));
    },
    mayTell: () => void (enableAlerts = true),
    rest: async () => {
      await atWork;
    },
  };
}

/** Gives what forgets the old, at its first call and then once a day. */
function createPruning({ clock, incidents, config }: AlertLoopParts): () => void {
  let prunedAt: number | null = null;
  return () => {
    const now = clock.now();
    if (prunedAt !== null && Math.abs(now - prunedAt) < DAY_MS) return;
    prunedAt = now;
    incidents.prune(now, config.retention.runsDays);
  };
}

/** What begins and ends is stored only where no other process told anything meanwhile: else it is looked at anew. */
async function noteChanges(parts: AlertLoopParts): Promise<void> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const mark = parts.incidents.mark();
    const changes = await findChanges(parts);
    await breath();
    if (isNothing(changes) || parts.incidents.note(changes, mark, parts.clock.now())) return;
  }
}

const MOST_TRIES = 3;

async function findChanges(parts: AlertLoopParts): Promise<Changes> {
  const { config, clock, incidents } = parts;
  const clean = <Value>(value: Value) => withoutSecrets(value, config.secrets);
  const now = clock.now();
  const facts = await readAlertInputs(parts, now);
  await breath();
  const dirty = findIncidents(facts);
  await breath();
  const found = dirty.map((each): ActiveProblem => ({
    ...each,
    text: clean(each.text),
    details: clean(each.details),
  }));
  await breath();
  const [first, ...others] = config.accounts;
  return diffIncidents(found, incidents.open(now), {
    now,
    remindAfterMs: config.notify.remindAfterMs,
    overWords: (incident) => clean(resolvedText(config, incident)),
    clean,
    only: first && others.length === 0 ? first.name : null,
  });
}
