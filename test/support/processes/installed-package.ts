/**
 * The package as a user installs it: packed from a copy of the checkout, which is deleted then, and installed globally under
 * a prefix of its own.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is not in a clean checkout. */
const LEFT_OUT = ['node_modules', 'dist', 'data', '.git'];

/** Runs `npm pack` in a copy of the checkout. Returns the path of the tarball, which is in the folder. */
export async function packCheckout(folder: string): Promise<string> {
  const copy = join(folder, 'checkout');
  copyCheckout(copy);
  const before = readManifest(copy);
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: copy });
  if (readManifest(copy) !== before) throw new Error('npm pack left another package.json');
  rmSync(copy, { recursive: true });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  return join(folder, filename);
}

export function copyCheckout(copy: string): void {
  const filter = (path: string) => !LEFT_OUT.includes(basename(path));
  cpSync('.', copy, { recursive: true, filter });
}

/** Runs `npm install` in a checkout by this Node, with a shell, and without a compiler. */
export async function installCheckout(checkout: string, node: string): Promise<void> {
  const { env, npm, programs } = await makeBareEnvironment(checkout, node);
  symlinkSync('/bin/sh', join(programs, 'sh'));
  symlinkSync('/usr/bin/env', join(programs, 'env'));
  symlinkSync(npm, join(programs, 'npm'));
  await run(node, [npm, 'install', '--prefer-offline'], { cwd: checkout, env });
}

const readManifest = (folder: string) => readFileSync(join(folder, 'package.json'), 'utf8');

export type Installation = Awaited<ReturnType<typeof installGlobally>>;

/**
 * Installs a tarball globally by this Node, with the cache of this machine, its way to the registry, and nothing else of its settings.
 * No other program is within its reach: no shell, no compiler. Returns the package, its command, and what npm wrote.
 */
export async function installGlobally(tarball: string, folder: string, node: string) {
  const prefix = join(folder, 'prefix');
  const { env, npm } = await makeBareEnvironment(folder, node);
  const flags = ['--engine-strict', '--prefer-offline', '--ignore-scripts', '--no-fund'];
  const parameters = ['install', '--global', '--prefix', prefix, ...flags, tarball];
  const { stdout, stderr } = await run(node, [npm, ...parameters], { cwd: folder, env });
  const root = join(prefix, 'lib/node_modules/vodhouse');
  return { root, binary: join(prefix, 'bin/vodhouse'), stdout, stderr };
}

/** An environment with a home of its own and no program but this Node, and the path of npm. */
async function makeBareEnvironment(folder: string, node: string) {
  const [home, programs] = [join(folder, 'home'), join(folder, 'programs')];
  mkdirSync(home);
  mkdirSync(programs);
  symlinkSync(node, join(programs, 'node'));
  const npm = (await run('sh', ['-c', 'command -v npm'])).stdout.trim();
  const env = { ...(await makeEnvironment(home)), PATH: programs, npm_config_update_notifier: 'false' };
  return { env, npm, programs };
}

/**
 * Unpacks a tarball and installs its dependencies as its lock file says. So npm installs vodhouse from a registry; from a
 * tarball it takes the newest versions that are allowed (github.com/npm/cli/issues/5349). Returns the folder of the package.
 */
export async function installLocked(tarball: string, folder: string): Promise<string> {
  await run('tar', ['-xzf', tarball, '-C', folder]);
  const root = join(folder, 'package');
  const flags = ['--omit=dev', '--ignore-scripts', '--prefer-offline'];
  await run('npm', ['ci', ...flags], { cwd: root, env: await makeEnvironment(folder) });
  return root;
}

const makeEnvironment = async (home: string) => ({
  PATH: process.env.PATH,
  HOME: home,
  ...findNetworkVariables(),
  ...(await readSettings()),
});

/** What leads to the registry on this machine: proxies and their certificates. */
const findNetworkVariables = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
    ),
  );

/** The settings of npm on this machine that an installation needs, as variables. */
async function readSettings(): Promise<Record<string, string>> {
  const { stdout } = await run('npm', ['config', 'list', '--json']);
  const settings = JSON.parse(stdout) as Record<string, unknown>;
  const names = ['cache', 'registry', 'cafile', 'proxy', 'https-proxy'].filter((name) => settings[name]);
  return Object.fromEntries(
    names.map((name) => [`npm_config_${name.replace('-', '_')}`, String(settings[name])]),
  );
}
