/** Who this worker is for the targets that it loads. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, basename } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Holder } from './target.ts';

/**
 * The same after a restart, so that a worker has its accounts back at once; another one for a copy of the live file in another
 * place, on another machine, or on a worker of another name.
 */
export function createHolder({ worker, warehouse }: Pick<Config, 'worker' | 'warehouse'>): Holder {
  const facts = [worker, toRealPath(warehouse), readMachineId()];
  const instance = createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 16);
  return { worker, instance };
}

/** The folder may be a link; the file may not exist yet. */
function toRealPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** Two machines with the same name and the same path are two workers. Empty where the system has no such file. */
function readMachineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    return '';
  }
}
