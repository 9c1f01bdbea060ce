/** Writes down who runs over a live file, as whoever takes the run lock does: without it a run counts as killed. */
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** `pid`: that of a process; left out, this one, which lives. */
export function noteRunner(path: string, pid = process.pid): void {
  const holder = { host: hostname(), pid, since: '2026-03-10 11:58:00', command: 'sync' };
  writeFileSync(`${path}.run.holder`, JSON.stringify(holder));
}
