/** A command that is killed, or gets an error, at one of its calls of the system, by strace. */
import { readFileSync, rmSync } from 'node:fs';
import { BIN, startProcess } from '../support/processes/child-process.ts';

/** The calls that change files. */
export const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'rename', 'link', 'unlink', 'ftruncate'] as const;
export type Call = (typeof CALLS)[number];

/** What strace does at the Nth call of a thread: `signal=KILL`, or an error, from then on with `+`. */
export const FAULTS = ['signal=KILL:when=N', 'error=EIO:when=N', 'error=ENOSPC:when=N+'] as const;

/** Runs the command in the folder; returns its exit code (null: killed) and its messages. */
export function runCommand(folder: string, command: readonly string[], strace: readonly string[] = []) {
  const args = [...strace, process.execPath, BIN, ...command, '--log-level', 'error'];
  const { ended } = startProcess('env', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return ended.then(({ code, stderr }) => ({ code, stderr }));
}

/** The options of strace that apply a fault to the Nth call of each thread. */
export const injecting = (call: Call, fault: string, n: number): string[] => [
  ...['strace', '-f', '-qqq', '-o', '/dev/null', '-e', `trace=${call}`, '-e'],
  `inject=${call}:${fault.replace('when=N', `when=${n}`)}`,
];

/** How often the busiest thread of the command makes each call. */
export async function countCalls(folder: string, command: readonly string[]): Promise<Map<Call, number>> {
  const log = `${folder}.strace`;
  await runCommand(folder, command, ['strace', '-f', '-qqq', '-o', log, '-e', `trace=${CALLS.join()}`]);
  const counts = new Map<string, number>();
  const lines = readFileSync(log, 'utf8');
  rmSync(log);
  for (const [, thread, call] of lines.matchAll(/^(\d+) +(\w+)\(/gm))
    counts.set(`${thread} ${call}`, (counts.get(`${thread} ${call}`) ?? 0) + 1);
  const most = (call: Call) =>
    Math.max(0, ...[...counts].map(([key, count]) => (key.endsWith(` ${call}`) ? count : 0)));
  return new Map(CALLS.map((call) => [call, most(call)]));
}
