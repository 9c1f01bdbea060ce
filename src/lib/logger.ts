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
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  let render: ReturnType<typeof createRenderer> | undefined; // most commands log nothing
  const stream = {
    write: (line: string) =>
      write(redact((render ??= createRenderer(options.format))(line), options.secrets)),
  };
  const formatters = { level: (label: string) => ({ level: label }) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level: options.level, base: null, timestamp, formatters }, stream);
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
    // a line break in a text of the service must not begin a line
    messageFormat: (log: Record<string, unknown>, key: string) => escapeControls(String(log[key])),
    singleLine: true,
  });
}

/**
 * What is logged, and the facts of each event as fields of a JSON line; users filter by them. A fact that does not
 * apply is null. Every event may have a `stack`, of an unexpected error.
 */
interface LogEvents {
  worker_started: 'warehouse full quick timezone';
  worker_stopping: 'reason';
  worker_stopped: 'reason';
  worker_failed: 'error hint';
  service_manager_unreachable: 'reason';
  config_accepted: '';
  config_reloaded: 'warehouse full quick timezone';
  config_refused: 'error hint';
  packages_changed: 'account packages added left';
  packages_refused: 'error hint';
  worker_waiting: 'next_full next_quick';
  run_started: 'run_id mode trigger';
  run_ended: 'run_id mode status packages added edited removed restored requests duration_ms';
  run_failed: 'error hint';
  run_postponed: 'reason';
  run_lock_wait: 'reason';
  walk_started: 'account package_id pages';
  page_stored: 'account package_id page records';
  walk_ended: 'run_id account package_id mode status added edited unchanged removed restored requests duration_ms';
  stream_failed: 'run_id account package_id stream kind error';
  page_proves_nothing: 'account package_id page reason';
  page_requested_again: 'account package_id page reason';
  storage_missing: 'account date';
  storage_refused: 'account date error';
  config_warning: 'reason';
  package_leaves: 'reason';
  account_renamed: 'account was rows';
  schedule_does_not_fit: 'account verdict';
  budget_wait: 'account reason wait_ms';
  request_answered: 'account run_id package_id page purpose status bytes duration_ms';
  published: 'file bytes duration_ms';
  publish_postponed: 'reason';
  publish_interrupted: '';
  publish_failed: 'error hint';
  target_loaded: 'target account rows change_seq duration_ms';
  target_load_failed: 'target account code error hint';
  target_account_refused: 'target account code error hint';
  backup_made: 'file bytes duration_ms';
  backup_failed: 'file error hint';
  backup_not_deleted: 'file error';
  server_listening: 'url';
  server_ended: 'reason restart_ms';
  server_error: 'error';
  check_failed: 'error';
  webhook_accepts: 'host';
  webhook_refuses: 'host error';
  ping_failed: 'ping host error';
  alert_check_failed: 'error';
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Exclude<Text, ''>;

type FactValue = string | number | boolean | null;

/** The facts of one event: all of its fields, no others. */
type LogFacts = {
  [Event in keyof LogEvents]: { event: Event; stack?: string | undefined } & Record<
    Words<LogEvents[Event]>,
    FactValue
  >;
}[keyof LogEvents];
