/** Who this worker is for the targets that it loads. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, join, basename } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Holder } from './target.ts';

/**
 * The same after a restart, so that a worker has its accounts back at once; another one for a copy of the live file in another
 * place, or on a worker of another name.
 */
export function createHolder({ worker, warehouse }: Pick<Config, 'worker' | 'warehouse'>): Holder {
  const instance = createHash('sha256')
    .update(`${worker}\n${toRealPath(warehouse)}`)
    .digest('hex')
    .slice(0, 16);
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
