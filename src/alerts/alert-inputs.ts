/** Reads what may be an incident from the live file, at one moment and without a key in it. */
import { setImmediate as breath } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { redact } from '../lib/redact.ts';
import { listStreams, type Stream } from '../health/streams.ts';
import { acceptRemovalsCommands, commandsFor } from '../health/commands.ts';
import type { IncidentFacts } from './outbox.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import type { AlertInputs } from './rules.ts';

export interface FactParts {
  config: Config;
  overview: Pick<StatusQueries, 'packages' | 'storage' | 'countHeldBack' | 'pause'>;
  incidents: IncidentFacts;
  /** Is what was last read at this moment stale at `now` (ms)? As for the streams of a report. */
  isStale: (at: string | null, now: number) => boolean;
  /** Since when somebody watches, in milliseconds since 1970. */
  watchedSince: number;
}

/** Reads the facts at `now` (ms), with a breath in between. Throws WarehouseError where the file cannot be read. */
export async function readAlertInputs(parts: FactParts, now: number): Promise<AlertInputs> {
  const { config, overview, incidents, isStale } = parts;
  const clean = (text: string | null) => text && redact(text, config.secrets);
  const watchedSince = toTimestamp(parts.watchedSince);
  const streams = listStreams({ config, overview, isStale }, now);
  await breath();
  const failedWalks = incidents.failedWalks().map((row) => ({ ...row, error: clean(row.error) }));
  await breath();
  const commandFor = acceptRemovalsCommands(commandsFor(config.file), config.accounts);
  const heldBack = overview.countHeldBack().map((row) => ({ ...row, command: commandFor(row) }));
  await breath();
  const run = incidents.failedRun();
  return {
    config,
    streams,
    failedWalks,
    heldBack,
    failedRun: run && { ...run, error: clean(run.error) },
    failedStorage: failedStorage(parts, streams),
    isRunning: incidents.isRunning(),
    isOverdue: isStale(watchedSince, now),
    watchedSince,
    pauses: config.accounts.flatMap(({ name }) => pauseOf(parts, name, now)),
    storage: storageFacts(parts),
  };
}

/** It was read where the last run in which it failed began before the last reading. */
function failedStorage(
  { config, incidents }: FactParts,
  streams: readonly Stream[],
): AlertInputs['failedStorage'] {
  return streams.flatMap(({ stream, account, at }) => {
    if (stream !== 'storage') return [];
    const runs = incidents.storageRuns(account);
    const [last] = runs;
    if (!last) return [];
    const unread = runs.filter((run) => run.started_at > (at ?? ''));
    const since = unread.at(-1)?.finished_at ?? last.finished_at;
    return [{ account, error: redact(last.error, config.secrets), since, isRead: unread.length === 0 }];
  });
}

function storageFacts({ config, incidents }: FactParts): AlertInputs['storage'] {
  return config.accounts.flatMap(({ name: account, storage }) => {
    if (!storage) return [];
    return [{ account, differences: incidents.differences(account), gaps: incidents.gaps(account) }];
  });
}

function pauseOf({ config, overview }: FactParts, account: string, now: number): AlertInputs['pauses'] {
  const pause = overview.pause(account, now);
  if (!pause) return [];
  const isInForce = fromTimestamp(pause.until) > now;
  return [{ ...pause, account, reason: redact(pause.reason, config.secrets), isInForce }];
}

/** The value with every secret taken out of every text in it. */
export function withoutSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  const clean = (inner: unknown): unknown => {
    if (typeof inner === 'string') return redact(inner, secrets);
    if (Array.isArray(inner)) return inner.map(clean);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, clean(each)]));
  };
  return clean(value) as Value;
}
