/** The processes of this machine. */
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  /** State; `Z`: ended, and its parent has not collected the exit code. */
  state: string;
  command: string;
}

/** From /proc: small systems have no `ps`. */
function processes(): Process[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    try {
      const [, state = '', parent] =
        /^.*\) (\S) (\d+) /s.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(id), parent: Number(parent), state, command }];
    } catch {
      return []; // it has ended
    }
  });
}

/** The children of a process that run, and whose command line names this file. */
export function findChildProcesses(parent: number, file: string): number[] {
  return processes()
    .filter((each) => each.parent === parent && !each.state.startsWith('Z') && each.command.includes(file))
    .map(({ pid }) => pid);
}

export function isRunning(pid: number): boolean {
  return processes().some((each) => each.pid === pid && !each.state.startsWith('Z'));
}
