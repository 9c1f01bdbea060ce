import type { FormatCommand } from '../lib/shell-command.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Progress } from '../sync/context.ts';
import type { SchedulerOptions } from './scheduler.ts';

/** What a command gives to a worker or to a run. */
export interface Environment {
  clock: Clock;
  logger: Logger;
  progress: Progress;
  /** The name of the running command, which other processes report that find the lock held. */
  command: string;
  /** Formats commands for messages; left out: they name the config by its path. */
  formatCommand?: FormatCommand | undefined;
  /** True if the live file is, or becomes, that of `vodhouse demo`. */
  isDemo?: boolean;
  /** When the worker checks what is due; left out: every minute. */
  startTicks?: SchedulerOptions['startTicks'];
}
