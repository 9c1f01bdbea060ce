/** The processes of this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  /** State; `Z`: ended, and its parent has not collected the exit code. */
  state: string;
  command: string;
}

function processes(): Process[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs();
}

/** Small systems have no `ps`. */
function fromProc(): Process[] {
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

function fromPs(): Process[] {
  const table = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', command = ''] = /^ *(\d+) +(\d+) +(\S+) +(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), state, command }];
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
