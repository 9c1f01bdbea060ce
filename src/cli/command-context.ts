/** What most commands begin with: a config, a logger that knows its secrets, and progress that suits the terminal. */
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { createLogger, type LogFormat, type LogLevel } from '../lib/logger.ts';
import { commandsFor } from '../health/commands.ts';
import { createBars, createLogProgress } from './output/progress.ts';
import type { Environment } from '../app/pipeline.ts';

/** Options that every command has. */
export interface LogOptions {
  logLevel: LogLevel;
  logFormat: LogFormat;
}

export interface ConfigOptions extends LogOptions {
  config: string;
}

/** A demo has no config that was named. */
type ContextOptions = LogOptions & Partial<ConfigOptions>;

const formatCommandFor = ({ config }: ContextOptions) =>
  config === undefined ? undefined : commandsFor(config);

/** Surroundings with progress. */
export interface CommandContext extends Environment {
  /** Says on a terminal what takes a while; nothing elsewhere. The text ends with a line feed. */
  announce: (text: string) => void;
  /** Puts the terminal in order again. */
  close(): void;
}

/** Opens a session for a command: bars on a terminal, lines elsewhere. */
export function openCommandContext(
  command: string,
  options: ContextOptions,
  secrets: readonly string[],
): CommandContext {
  const { logLevel: level, logFormat: format } = options;
  const isTerminal = process.stderr.isTTY && format === 'text' && level !== 'silent';
  if (!isTerminal) return openLines(command, options, secrets, 'info');
  const bars = createBars(systemClock, process.stderr);
  const logger = createLogger({ level, format, secrets, write: (line) => bars.line(line) });
  const announce = (text: string) => bars.line(text);
  const formatCommand = formatCommandFor(options);
  return {
    clock: systemClock,
    logger,
    command,
    formatCommand,
    progress: bars,
    announce,
    close: () => bars.close(),
  };
}

/** A session of a worker: a line a run, and the walks at level `debug`. */
export function openWorkerContext(
  command: string,
  options: ContextOptions,
  secrets: readonly string[],
): CommandContext {
  return openLines(command, options, secrets, 'debug');
}

function openLines(
  command: string,
  options: ContextOptions,
  secrets: readonly string[],
  walks: 'info' | 'debug',
): CommandContext {
  const { logLevel: level, logFormat: format } = options;
  const logger = createLogger({ level, format, secrets });
  const progress = createLogProgress(systemClock, logger, walks);
  const quiet = { announce: () => undefined, close: () => undefined };
  return {
    clock: systemClock,
    logger,
    command,
    formatCommand: formatCommandFor(options),
    progress,
    ...quiet,
  };
}

/** Loads the config of a command. Throws ConfigError with all problems at once. */
export function readConfig(options: ConfigOptions): Config {
  return loadConfig(options.config);
}
