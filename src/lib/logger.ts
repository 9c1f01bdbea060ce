import { createRequire } from 'node:module';
import { pino } from 'pino';
import { escapeControls } from './format.ts';
import type { LogFacts } from './log-events.ts';
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
