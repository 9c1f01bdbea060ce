/** The image, made and run without an engine: the same steps in a clean root. Needs root and mmdebstrap. */
import { execFileSync, execFile, spawn, type ChildProcess } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  cpSync,
  existsSync,
  realpathSync,
} from 'node:fs';
import { join, basename, dirname, posix } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { listParameters, readExecForm, readStages, readCopy, type Stage } from '../support/dockerfile.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { findFreePort } from '../support/servers/loopback.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { installNode } from '../support/processes/other-node.ts';

const execute = promisify(execFile);
/** What Node and the instructions need of the base image: unpacked, not configured, which takes longer than all else. */
const BASE = ['base-files', 'coreutils', 'dash', 'findutils', 'libstdc++6', 'util-linux'].join();
const IMAGE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Why no root can be made here; null: it can. */
function findMissing(): string | null {
  if (process.getuid?.() !== 0) return 'it needs root';
  return existsSync('/usr/bin/mmdebstrap') ? null : 'it needs the Debian package mmdebstrap';
}

/** The settings of an image that say how it is run. */
interface Image {
  root: string;
  env: Record<string, string>;
  folder: string;
  /** The last parameters of instructions such as USER and CMD. */
  settings: Record<string, string>;
}

/** Builds the stages below the folder. Returns the image of the last one. */
async function buildImage(stages: readonly Stage[], folder: string): Promise<Image> {
  const [, major] = /^node:(\d+)-/.exec(stages[0]?.image ?? '') ?? [];
  const base = join(folder, 'base');
  await execute('mmdebstrap', ['--quiet', '--variant=extract', `--include=${BASE}`, 'bookworm', base]);
  addNode(base, installNode(Number(major)));
  const roots = new Map<string | null, Image>();
  let image: Image | null = null;
  for (const stage of stages) {
    const root = join(folder, stage.name ?? 'image');
    await execute(
      stage === stages.at(-1) ? 'mv' : 'cp',
      stage === stages.at(-1) ? [base, root] : ['-a', base, root],
    );
    image = { root, env: {}, folder: '/', settings: {} };
    for (const { keyword, parameters } of stage.instructions) {
      if (keyword === 'COPY') copyFiles(parameters, image, roots);
      else await apply(keyword, parameters, image);
    }
    roots.set(stage.name, image);
  }
  if (!image) throw new RangeError('the Dockerfile has no stage');
  return image;
}

/** As the official image of Node has it. npm uses the registry that this machine uses. */
function addNode(root: string, node: string): void {
  const npm = dirname(
    dirname(realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())),
  );
  const bin = join(root, 'usr/local/bin');
  cpSync(node, join(bin, 'node'));
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm')]);
  for (const file of [
    '/etc/resolv.conf',
    '/etc/hosts',
    '/etc/ssl/certs/ca-certificates.crt',
    '/root/.npmrc',
    '/usr/etc/npmrc',
  ])
    if (existsSync(file)) cpSync(realpathSync(file), join(root, file), { recursive: true });
  if (existsSync('/usr/etc/npmrc')) cpSync('/usr/etc/npmrc', join(root, 'usr/local/etc/npmrc'));
}

function copyFiles(parameters: string, image: Image, roots: Map<string | null, Image>): void {
  const { from, sources, to } = readCopy(parameters);
  const target = join(image.root, posix.resolve(image.folder, to));
  const origin = from === null ? '.' : (roots.get(from)?.root ?? '');
  for (const source of sources) {
    const path = join(origin, source);
    const isInto = to.endsWith('/') || sources.length > 1;
    execFileSync('mkdir', ['-p', isInto ? target : dirname(target)]);
    execFileSync('cp', ['-aT', path, isInto ? join(target, basename(source)) : target]);
  }
}

async function apply(keyword: string, parameters: string, image: Image): Promise<void> {
  if (keyword === 'RUN') {
    const script = `cd ${image.folder} && ${parameters}`;
    const env = {
      PATH: IMAGE_PATH,
      HOME: '/root',
      DEBIAN_FRONTEND: 'noninteractive',
      npm_config_cache: '/npm-cache',
      npm_config_prefer_offline: 'true',
      ...image.env,
    };
    const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
    const mounted = `mkdir -p "$1/npm-cache" "$2" && mount --bind "$2" "$1/npm-cache" && exec chroot "$1" sh -ec "$3"`;
    await execute('unshare', ['--mount', 'sh', '-ec', mounted, 'sh', image.root, cache, script], {
      env,
      maxBuffer: 2 ** 26,
    });
  } else if (keyword === 'WORKDIR') {
    image.folder = parameters;
    mkdirSync(join(image.root, parameters), { recursive: true });
  } else if (keyword === 'ENV') {
    for (const [, name = '', value = ''] of parameters.matchAll(/([^\s=]+)=(\S*)/g)) image.env[name] = value;
  } else image.settings[keyword] = parameters.trim();
}

interface Mounts {
  /** The folder of the config, read-only. */
  config: string;
  /** The folder of the volume; it belongs to the user of the image. */
  data: string;
}

/**
 * Starts ENTRYPOINT and CMD as process 1 of its own namespace, as the user of the image and without
 * capabilities, on a read-only root with the volume and /tmp. The network is that of this machine.
 */
function startImage({ root, env, folder, settings }: Image, { config, data }: Mounts): ChildProcess {
  const words = ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(settings[name] ?? '[]') as string[]);
  const lines = [
    'mount --bind "$1" "$1"',
    'for each in proc dev tmp etc/vodhouse "${4#/}"; do mkdir -p "$1/$each"; done',
    'mount --bind "$2" "$1/etc/vodhouse" && mount -o remount,bind,ro "$1/etc/vodhouse"',
    'mount --bind "$3" "$1$4"',
    'mount -t tmpfs tmpfs "$1/tmp" && chmod 1777 "$1/tmp"',
    'mount -t tmpfs tmpfs "$1/dev"',
    'for each in null zero random urandom; do touch "$1/dev/$each"; mount --bind "/dev/$each" "$1/dev/$each"; done',
    'mount -t proc proc "$1/proc"',
    'mount -o remount,bind,ro "$1"',
    'root=$1 user=${5%:*} group=${5#*:} folder=$6; shift 6',
    'exec chroot "$root" setpriv --reuid "$user" --regid "$group" --clear-groups --bounding-set=-all --inh-caps=-all \\',
    '  --no-new-privs sh -c \'cd "$0" && exec "$@"\' "$folder" "$@"',
  ];
  const values = [root, config, data, settings.VOLUME ?? '', settings.USER ?? '', folder];
  const options = ['--pid', '--mount', '--fork', '--kill-child'];
  return spawn('unshare', [...options, 'sh', '-ec', lines.join('\n'), 'sh', ...values, ...words], {
    env: { PATH: IMAGE_PATH, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
}

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
