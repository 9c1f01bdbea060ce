/** The processes of this machine, as `ps` tells of them. */
import { execFileSync } from 'node:child_process';

interface Process {
  pid: number;
  parent: number;
  /** How it stands: one that begins with Z has ended, and nobody has asked how. */
  state: string;
  command: string;
}

function processes(): Process[] {
  const table = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', command = ''] = /^ *(\d+) +(\d+) +(\S+) +(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), state, command }];
  });
}

/** The children of a process that run, and whose command line names this file. */
export function childrenOf(parent: number, file: string): number[] {
  return processes()
    .filter((each) => each.parent === parent && !each.state.startsWith('Z') && each.command.includes(file))
    .map(({ pid }) => pid);
}

export function isRunning(pid: number): boolean {
  return processes().some((each) => each.pid === pid && !each.state.startsWith('Z'));
}
