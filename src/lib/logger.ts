import { createRequire } from 'node:module';
import colors from 'picocolors';
import { pino, type Logger as PinoLogger } from 'pino';
import type { LogLevel } from './log-levels.ts';
import { redact } from './redact.ts';

export type Logger = PinoLogger;

/** `text`: one plain line per message; `json`: pino's own lines. */
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
  const render = pinoPretty(options.format);
  const stream = { write: (line: string) => write(redact(render(line), options.secrets)) };
  return pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

type PrettyModule = { prettyFactory: (options: object) => (line: string) => string };

/** Renders pino's JSON lines as plain text lines, or leaves them as they are. */
function pinoPretty(format: LogFormat): (line: string) => string {
  if (format === 'json') return (line) => line;
  const pretty = createRequire(import.meta.url)('pino-pretty') as PrettyModule;
  return pretty.prettyFactory({
    colorize: process.stderr.isTTY && colors.isColorSupported,
    translateTime: "UTC:yyyy-mm-dd HH:MM:ss 'UTC'",
    ignore: 'account,packageId,page,runId', // the message holds them
    singleLine: true,
  });
}
