import { createInterface } from 'node:readline/promises';
import { ConfigError } from '../lib/errors.ts';

/**
 * Asks a question at the terminal, unless `yes` is set. After any answer but yes, it prints that nothing was
 * changed. Throws ConfigError if stdin is no terminal: its hint is `command` with `--yes`.
 */
export async function isConfirmed(
  question: string,
  { command, yes = false }: { command: string; yes: boolean | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    throw new ConfigError('cannot ask for confirmation: stdin is not a terminal; nothing was changed', {
      hint: `${command} --yes does not ask`,
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    const isYes = /^y(es)?$/i.test(answer.trim());
    if (!isYes) process.stderr.write('nothing was changed\n');
    return isYes;
  } finally {
    terminal.close();
  }
}
