/** A notifier over a real live file that a test fills by SQL, a real webhook, and a clock that the test moves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config, NotifyConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { Notifier } from '../../src/notify/notifier.ts';
import { openNotifier } from '../../src/notify/open.ts';
import { staleBy } from '../../src/schedule/freshness.ts';
import { insert, liveFileWith } from './filled-live-file.ts';
import { execute } from './live-file.ts';
import { configOf } from './open-pipeline.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
import { startWebhook, type Webhook } from './webhook.ts';

export interface NotifierWishes {
  /** What the file holds. */
  holds?: readonly string[];
  packages?: readonly number[];
  secrets?: readonly string[];
  notify?: Partial<NotifyConfig>;
  since?: 'now' | 'always';
  /** Milliseconds that an answer may take. */
  deadlineMs?: number;
  /** False: nothing is said of a run yet. */
  inStep?: boolean;
}

export interface TestNotifier {
  path: string;
  clock: VirtualClock;
  webhook: Webhook;
  log: string[];
  config: Config;
  notifier: () => Notifier;
  /** Another one over the same file, as another process would have. */
  another: () => Notifier;
  sql: (...statements: string[]) => void;
  look: () => Promise<void>;
  /** So many milliseconds pass, then it looks. */
  lookAfter: (ms: number) => Promise<void>;
  /** As if the process had ended and begun anew, with this in its config. */
  restart: (changes?: Partial<Config>) => Promise<void>;
  /** `event state package` of each message that was taken since the last time this was asked. */
  told: () => string[];
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const NOON = '2026-03-10 12:00:00';

const STORAGE = {
  baseUrl: 'http://127.0.0.1:1',
  auth: 'none',
  key: 'test-key',
  since: null,
  settleMs: HOUR_MS,
  lookAgainDays: 3,
  giveUpDays: 7,
  optional: [],
  plausibleFactor: 2,
} as const;

/** It is noon; packages and storage were read at noon. */
export async function openTestNotifier(wishes: NotifierWishes = {}): Promise<TestNotifier> {
  const { packages = [101, 102], holds = [], inStep = true, since = 'now' } = wishes;
  const path = emptyLiveFile();
  execute(path, [...packages.map((id) => walkedAt(id, NOON)), readingAt(NOON), ...holds].join('\n'));
  const webhook = await startWebhook();
  const base = configOf({ url: 'http://127.0.0.1:1', packages }, path);
  const notify = { webhook: webhook.url, ping: null, remindAfterMs: DAY_MS, ...wishes.notify };
  const accounts = base.accounts.map((account) => ({ ...account, storage: STORAGE }));
  const config = { ...base, accounts, notify, secrets: [webhook.url, ...(wishes.secrets ?? ['test-key'])] };
  const clock = createVirtualClock('2026-03-10T12:00:00Z');
  const log: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'json',
    secrets: config.secrets,
    write: (line) => void log.push(line),
  });
  const opened = new Set<Notifier>();
  let current: Config = config;
  const open = (): Notifier => {
    const isStale = staleBy(config.schedule);
    const { deadlineMs } = wishes;
    const notifier = openNotifier(current, { clock, logger, isStale, since, deadlineMs });
    if (!notifier) throw new Error('the config tells nobody');
    if (inStep) notifier.inStep();
    opened.add(notifier);
    return notifier;
  };
  let notifier = open();
  let heard = 0;
  onTestFinished(async () => {
    await Promise.all([...opened].map((each) => each.close()));
  });
  const look = () => notifier.look();
  return {
    path,
    clock,
    webhook,
    log,
    config,
    notifier: () => notifier,
    another: open,
    sql: (...statements) => execute(path, statements.join('\n')),
    look,
    lookAfter: (ms) => {
      clock.advance(ms);
      return look();
    },
    restart: async (changes = {}) => {
      current = { ...current, ...changes };
      opened.delete(notifier);
      await notifier.close();
      notifier = open();
    },
    told: () => {
      const news = webhook.taken.slice(heard);
      heard = webhook.taken.length;
      return news.map(
        ({ event, state, package_id: id }) => `${event} ${state}${id === null ? '' : ` ${id}`}`,
      );
    },
  };
}

let empty: Buffer | null = null;

/** A live file without rows in a folder of its own; made once for all who ask. */
function emptyLiveFile(): string {
  const path = empty === null ? liveFileWith() : join(temporaryFolder(), 'live.db');
  if (empty === null) empty = readFileSync(path);
  else writeFileSync(path, empty);
  return path;
}

/** A package of `main` that was last walked whole at the moment. */
export const walkedAt = (id: number, at: string | null) =>
  insert('package', { account: 'main', package_id: id, order: 'trusted', walked_at: at });

/** Today's storage was read at the moment. */
export const readingAt = (at: string) =>
  insert('storage_reading', { account: 'main', observed_at: at, date: at.slice(0, 10) });

/** A run over everything that ended so. */
export const runEnded = (run_id: number, status: string, at: string, error: string | null = null) =>
  insert('run', {
    run_id,
    trigger: 'schedule',
    mode: 'full',
    status,
    started_at: at,
    finished_at: at,
    error,
  });

/** A full walk of the package that ended so in the run; the package counts its failures. */
export function walkEnded(
  run_id: number,
  package_id: number,
  status: string,
  at: string,
  error: string | null = null,
): string {
  const ended = { status, started_at: at, finished_at: at, origin_started_at: at, error };
  const failures = status === 'failed' ? 'failed_walks + 1' : '0';
  return (
    insert('walk', { run_id, account: 'main', package_id, mode: 'full', ...ended }) +
    `update package set failed_walks = ${failures} where package_id = ${package_id};`
  );
}
