import type { Command } from 'commander';
import { printCandidates, printScript, type Shell } from '../completion.ts';
import { EXIT } from '../exit.ts';

/** `vodhouse completion SHELL`: prints the script that completes commands. Returns the exit code. */
export async function completion(program: Command, shell: Shell): Promise<number> {
  printScript(program, shell);
  return EXIT.done;
}

/** `vodhouse complete -- WORD…`, which that script calls. Returns the exit code. */
export async function complete(program: Command, words: readonly string[]): Promise<number> {
  await printCandidates(program, words);
  return EXIT.done;
}
