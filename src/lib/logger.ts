import { pino, type Logger as PinoLogger } from 'pino';
import { pinoPretty, type LogFormat } from './pretty-log.ts';
import { redact } from './redact.ts';

export type Logger = PinoLogger;
export type { LogFormat };

/** What `--log-level` may name. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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
