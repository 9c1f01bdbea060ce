/** Exit codes, and how an error that ends a command is printed. */
import {
  ConfigError,
  errorMessage,
  formatHint,
  InterruptedError,
  LockedError,
  VodhouseError,
} from '../lib/errors.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import type { RunSummary } from '../sync/run.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, partial: 3, locked: 75, interrupted: 130 } as const;

/** The exit code for an error that ended a command. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof LockedError) return EXIT.locked;
  if (error instanceof InterruptedError) return EXIT.interrupted;
  return EXIT.failed;
}

export const EXIT_OF_RUN: Record<RunSummary['status'], number> = {
  succeeded: EXIT.done,
  failed: EXIT.failed,
  interrupted: EXIT.interrupted,
  partial: EXIT.partial,
  parked: EXIT.partial,
};

/** Prints on stderr what went wrong and what to do next, or the stack of an unexpected error. */
export function printError(error: unknown, formatCommand: FormatCommand): void {
  const isExpected = error instanceof VodhouseError;
  const text = !isExpected && error instanceof Error ? (error.stack ?? error.message) : errorMessage(error);
  process.stderr.write(`vodhouse: ${text}\n`);
  const hint = isExpected ? formatHint(error.hintParts, formatCommand) : undefined;
  if (hint !== undefined) process.stderr.write(`  -> ${hint}\n`);
}
