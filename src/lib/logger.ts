/** The log: one line an event, as text for people or as JSON, without any secret. */
import { createRequire } from 'node:module';
import { pino } from 'pino';
import { escapeControls } from './format.ts';
import type { LogLevel } from './log-levels.ts';
import { redact } from './redact.ts';

/** Writes one line: the facts of an event, and a sentence that holds what a person needs of them. */
type Log = (facts: LogFacts, message: string) => void;

export type Logger = Record<Exclude<LogLevel, 'silent'>, Log>;

/** `text`: one plain line per message; `json`: one object per line, with the facts as fields. */
export type LogFormat = 'text' | 'json';

export interface LoggerOptions {
  level: LogLevel;
  format: LogFormat;
  /** Texts that must never be written: every line is searched for them. */
  secrets: readonly string[];
  /** Where lines go; stderr by default. */
  write?: (line: string) => void;
}

/** A logger that writes to stderr, one line a message, without any of the secrets. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, format, secrets, write = (line: string) => void process.stderr.write(line) } = options;
  let render: ReturnType<typeof createRenderer> | undefined; // made when needed: most commands log nothing
  const writeLine = (line: string) => write(redact((render ??= createRenderer(format))(line), secrets));
  const formatters = { level: (label: string) => ({ level: label }) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, formatters }, { write: writeLine });
}

type PrettyModule = { prettyFactory: (options: object) => (line: string) => string };

/** Renders pino's JSON lines as plain text lines, or leaves them as they are. */
function createRenderer(format: LogFormat): (line: string) => string {
  if (format === 'json') return (line) => line;
  const pretty = createRequire(import.meta.url)('pino-pretty') as PrettyModule;
  return pretty.prettyFactory({
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
    translateTime: "UTC:yyyy-mm-dd HH:MM:ss 'UTC'",
    include: 'time,level,stack', // the message holds the facts
    // a line break in a text of the service must not begin a new line of the log
    messageFormat: (log: Record<string, unknown>, key: string) => escapeControls(String(log[key])),
    singleLine: true,
  });
}

type Failure = { error: string; hint: string | null };
type ServedConfig = { warehouse: string; full: string; quick: string | null; timezone: string };
type FailedLoad = {
  target: string | null;
  account: string | null;
  code: string | null;
  error: string | null;
  hint: string | null;
};

/**
 * What is logged, and the facts of each event as fields of a JSON line; users filter by them. A fact that
 * does not apply is null. Every event may have a `stack`, of an unexpected error.
 */
interface LogEvents {
  worker_started: ServedConfig;
  worker_stopping: { reason: string };
  worker_stopped: { reason: string | null };
  worker_failed: Failure;
  service_manager_unreachable: { reason: string };
  config_accepted: object;
  config_reloaded: ServedConfig;
  config_refused: Failure;
  packages_changed: { account: string; packages: number; added: number; left: number };
  packages_refused: Failure;
  worker_waiting: { next_full: string; next_quick: string | null };
  run_started: { run_id: number; mode: string; trigger: string };
  run_ended: {
    run_id: number;
    mode: string;
    status: string;
    packages: number;
    added: number;
    edited: number;
    removed: number;
    restored: number;
    requests: number;
    duration_ms: number;
  };
  run_failed: Failure;
  run_postponed: { reason: string };
  run_lock_wait: { reason: string };
  walk_started: { account: string; package_id: number; pages: number };
  page_stored: { account: string; package_id: number; page: number; records: number };
  walk_ended: {
    run_id: number;
    account: string;
    package_id: number;
    mode: string;
    status: string;
    added: number;
    edited: number;
    unchanged: number;
    removed: number;
    restored: number;
    requests: number;
    duration_ms: number;
  };
  stream_failed: {
    run_id: number;
    account: string;
    package_id: number | null;
    stream: string | null;
    kind: string;
    error: string;
  };
  page_proves_nothing: { account: string; package_id: number; page: number; reason: string };
  page_requested_again: { account: string; package_id: number; page: number; reason: string };
  storage_missing: { account: string; date: string };
  storage_refused: { account: string; date: string; error: string };
  config_warning: { reason: string };
  package_leaves: { reason: string };
  account_renamed: { account: string; was: string | null; rows: number };
  schedule_does_not_fit: { account: string; verdict: string };
  budget_wait: { account: string; reason: string; wait_ms: number };
  request_answered: {
    account: string;
    run_id: number | null;
    package_id: number | null;
    page: number | null;
    purpose: string;
    status: number | null;
    bytes: number | null;
    duration_ms: number;
  };
  published: { file: string; bytes: number; duration_ms: number };
  publish_postponed: { reason: string };
  publish_interrupted: object;
  publish_failed: Failure;
  target_loaded: {
    target: string;
    account: string | null;
    rows: number;
    change_seq: number | null;
    duration_ms: number;
  };
  target_load_failed: FailedLoad;
  target_account_refused: FailedLoad;
  backup_made: { file: string; bytes: number; duration_ms: number };
  backup_failed: { file: string | null; error: string; hint: string | null };
  backup_not_deleted: { file: string; error: string };
  server_listening: { url: string };
  server_ended: { reason: string; restart_ms: number };
  server_error: { error: string };
  check_failed: { error: string };
  webhook_accepts: { host: string };
  webhook_refuses: { host: string; error: string };
  ping_failed: { ping: string; host: string; error: string };
  alert_check_failed: { error: string };
}

/** The facts of one event: all of its fields, no others. */
type LogFacts = {
  [Event in keyof LogEvents]: { event: Event; stack?: string | undefined } & LogEvents[Event];
}[keyof LogEvents];
