import type { FormatCommand } from '../lib/shell-command.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Progress } from '../sync/context.ts';
import type { SchedulerOptions } from './scheduler.ts';

/** What a command gives to the composition. */
export interface Environment {
  clock: Clock;
  logger: Logger;
  progress: Progress;
  /** Name of the running command: another process that finds the lock held reports it. */
  command: string;
  /** Formats commands for messages; left out: they name the config by its path. */
  formatCommand?: FormatCommand | undefined;
  /** The file is, or becomes, that of `vodhouse demo`. */
  isDemo?: boolean;
  /** When the worker checks what is due; left out: every minute. */
  startTicks?: SchedulerOptions['startTicks'];
}
