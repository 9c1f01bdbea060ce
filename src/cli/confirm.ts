import { createInterface } from 'node:readline/promises';
import { ConfigError } from '../lib/errors.ts';

/** Asks at the terminal. Throws ConfigError if stdin is no terminal; `command` does the same without asking. */
export async function isConfirmed(question: string, command: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new ConfigError('cannot ask for confirmation: stdin is not a terminal; nothing was changed', {
      hint: `${command} --yes does not ask`,
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
