/** The image, made and run without an engine: the same steps in a clean root. Needs root and mmdebstrap. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listParameters, readExecForm, readStages } from '../support/dockerfile.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { buildImage, findMissing, startImage } from '../support/processes/image-root.ts';
import { findFreePort } from '../support/servers/loopback.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

const missing = findMissing();
const name = 'the image installs, starts, answers and stops';

it.skipIf(missing !== null)(
  missing === null ? name : `${name} (left out: ${missing})`,
  async () => {
    const folder = temporaryFolder();
    const stages = readStages();
    const image = await buildImage(stages, folder);
    for (const tool of ['g++', 'gcc', 'make', 'python3', 'npm', 'npx'])
      expect(() => execFileSync('chroot', [image.root, 'sh', '-c', `command -v ${tool}`])).toThrow();

    const { config, data, port } = await prepareMounts(folder);
    const worker = startImage(image, { config, data });
    onTestFinished(() => void worker.kill('SIGKILL'));
    let log = '';
    worker.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
    await expect.poll(() => log).toContain('"event":"worker_waiting"');

    const first = findFirstProcess(worker.pid ?? 0);
    const status = readFileSync(`/proc/${first}/status`, 'utf8');
    expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(statSync(join(data, 'vodhouse.db')).uid).toBe(1000);
    expect(() => writeFileSync(`/proc/${first}/root/opt/vodhouse/x`, '')).toThrow('EROFS');

    const [program = '', ...args] = readExecForm(
      listParameters(stages.at(-1) ?? never(), 'HEALTHCHECK')[0] ?? '',
    );
    const ask = args.map((each) => each.replace('8320', String(port)));
    execFileSync('chroot', [image.root, program, ...ask]); // throws unless it ends with 0
    const asked = args.map((each) => each.replace('8320', '1'));
    expect(() => execFileSync('chroot', [image.root, program, ...asked])).toThrow();

    const ended = new Promise((resolve) => worker.once('exit', (code) => resolve(code)));
    process.kill(first, 'SIGTERM');
    const limit = new Promise((resolve) => setTimeout(() => resolve('still runs after 5 s'), 5_000).unref());
    expect(await Promise.race([ended, limit])).toBe(0);
    expect(log).toContain('"event":"worker_stopped"');
  },
  600_000,
);

function never(): never {
  throw new RangeError('the Dockerfile has no stage');
}

/** The folders of the config and the volume, and the port that the server gets. */
async function prepareMounts(folder: string) {
  const { url } = await startSandbox();
  const [config, data, port] = [join(folder, 'config'), join(folder, 'data'), await findFreePort()];
  mkdirSync(config);
  mkdirSync(data);
  chownSync(data, 1000, 1000);
  const text = readFileSync('deploy/compose/vodhouse.yaml', 'utf8')
    .replaceAll(/https:\/\/\S+\.example\.test/g, url)
    .replace('${file:/run/secrets/vodhouse_key}', 'sandbox-key')
    .replace('${file:/run/secrets/server_key}', 'a-key-of-the-server')
    .replace('host: 0.0.0.0', `host: 127.0.0.1\n  port: ${port}`);
  writeFileSync(join(config, 'vodhouse.yaml'), text);
  return { config, data, port };
}

/** The process that `unshare` started: process 1 of its namespace. */
function findFirstProcess(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
