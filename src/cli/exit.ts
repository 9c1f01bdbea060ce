/** Exit codes, and how an error that ends a command is said. */
import { ConfigError, InterruptedError, LockedError, errorMessage, VodhouseError } from '../lib/errors.ts';
import type { RunSummary } from '../sync/run.ts';

/** What the exit code of a command means. */
export const EXIT = { done: 0, failed: 1, usage: 2, partial: 3, locked: 75, interrupted: 130 } as const;

/** The exit code for an error that ended a command. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof LockedError) return EXIT.locked;
  if (error instanceof InterruptedError) return EXIT.interrupted;
  return EXIT.failed;
}

/** The exit code for what a run came to. */
export function exitCodeForRun(status: RunSummary['status']): number {
  switch (status) {
    case 'succeeded':
      return EXIT.done;
    case 'failed':
      return EXIT.failed;
    case 'interrupted':
      return EXIT.interrupted;
    case 'partial':
    case 'parked':
      return EXIT.partial;
  }
}

/** Says an error on stderr: what went wrong, and what to do next. A defect of ours shows where it is. */
export function printError(error: unknown): void {
  const isOurs = error instanceof VodhouseError;
  const words = isOurs || !(error instanceof Error) ? errorMessage(error) : (error.stack ?? error.message);
  process.stderr.write(`vodhouse: ${words}\n`);
  if (isOurs && error.hint) process.stderr.write(`  -> ${error.hint}\n`);
}
