/** Python's moto: an S3-compatible store by others, on loopback. It does not verify signatures. */
import { spawn, spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { S3Place } from '../../../src/publishing/targets/lake/store.ts';
import { eventually } from '../processes/vodhouse-command.ts';
import { findFreePort } from './free-port.ts';

export const hasMoto = (): boolean =>
  spawnSync('python3', ['-c', 'import moto.server'], { stdio: 'ignore' }).status === 0;

/** With an empty bucket `lake`. Ends with the test. */
export async function startMoto(): Promise<S3Place> {
  const port = String(await findFreePort());
  const child = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', port], { stdio: 'ignore' });
  const ended = new Promise((end) => child.once('exit', end));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const makeBucket = () => fetch(`${endpoint}/lake`, { method: 'PUT' }).then(({ status }) => status);
  await eventually(() => makeBucket().catch(() => 0)).toBe(200);
  return {
    ...{ kind: 's3', bucket: 'lake', prefix: 'some/lake', endpoint, region: 'us-east-1' },
    ...{ accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret', sessionToken: null, isPathStyle: true },
  };
}
