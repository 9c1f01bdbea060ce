/** What most commands need: options, a logger that hides the secrets, and progress for a person. */
import { systemClock } from '../lib/clock.ts';
import type { LogLevel } from '../lib/log-levels.ts';
import { createLogger, type LogFormat, type Logger } from '../lib/logger.ts';
import type { Environment } from '../app/environment.ts';
import { commandsFor, type FormatCommand } from '../lib/shell-command.ts';
import { createLogProgress, type LoggedWalks } from './output/log-progress.ts';
import { createProgressLine } from './output/progress-line.ts';

/** Options that every command has. */
export interface LogOptions {
  logLevel: LogLevel;
  logFormat: LogFormat;
}

export interface ConfigOptions extends LogOptions {
  config: string;
}

export interface JsonOptions extends ConfigOptions {
  json?: true;
}

export type ContextOptions = ConfigOptions & { verbose?: true };

export interface CommandContext extends Environment {
  /** Formats commands with the `--config` of the command that runs. */
  formatCommand: FormatCommand;
  /** Prints on a terminal what takes a while next. Where stderr is no terminal, it does nothing. */
  announce: (text: string) => void;
  /** Writes a line to stderr, above the progress. The text ends with a line feed. */
  line: (text: string) => void;
  /** Removes the progress from the terminal. */
  close(): void;
}

/** Its progress is one line on a terminal, and log lines where stderr is none. */
export function openCommandContext(
  command: string,
  options: ContextOptions,
  secrets: readonly string[],
): CommandContext {
  const { logLevel: level, logFormat: format } = options;
  const context = createLogContext(command, options, secrets, options.verbose ? 'all' : 'notable');
  if (!process.stderr.isTTY || format !== 'text' || level === 'silent') return context;
  const { line, announce, close, ...progress } = createProgressLine(systemClock, process.stderr);
  const logger = createLogger({ level, format, secrets, write: line });
  return { ...context, logger, progress, line, announce, close };
}

/** Its progress is log lines only: at level `info` those of the walks that `logged` selects. */
export function createLogContext(
  command: string,
  { logLevel: level, logFormat: format, config }: ContextOptions,
  secrets: readonly string[],
  logged: LoggedWalks,
): CommandContext {
  const logger = createLogger({ level, format, secrets });
  return {
    clock: systemClock,
    logger,
    command,
    formatCommand: commandsFor(config),
    progress: createLogProgress(systemClock, logger, logged),
    line: (text) => void process.stderr.write(text),
    announce: () => undefined,
    close: () => undefined,
  };
}

/** The logger for loads of targets: it writes JSON only, because a text log would repeat what is printed. */
export function createLoadLogger(
  { logLevel, logFormat: format }: LogOptions,
  secrets: readonly string[],
): Logger {
  return createLogger({ level: format === 'json' ? logLevel : 'silent', format, secrets });
}
