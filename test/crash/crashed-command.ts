/** A command that is killed, or gets an error, at one of its calls of the system, by strace. */
import { BIN, startProcess } from '../support/processes/child-process.ts';

/** What strace does at the Nth call of a thread: `signal=KILL`, or an error, from then on with `+`. */
export const FAULTS = ['signal=KILL:when=N', 'error=EIO:when=N', 'error=ENOSPC:when=N+'] as const;

/** Runs the command in the folder; returns its exit code (null: killed) and its messages. */
export function runCommand(folder: string, command: readonly string[], strace: readonly string[] = []) {
  const args = [...strace, process.execPath, BIN, ...command, '--log-level', 'error'];
  const { ended } = startProcess('env', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return ended.then(({ code, stderr }) => ({ code, stderr }));
}

/** The options of strace that apply a fault to the Nth call of each thread. */
export const injecting = (call: string, fault: string, n: number): string[] => [
  'strace',
  '-f',
  '-qqq',
  '-o',
  '/dev/null',
  '-e',
  `trace=${call}`,
  '-e',
  `inject=${call}:${fault.replace('when=N', `when=${n}`)}`,
];
