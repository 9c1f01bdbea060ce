import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDeadLinks, listPages } from '../support/dead-links.ts';
import { readFolder } from '../support/fixtures/folder-of-files.ts';
import {
  copyCheckout,
  installCheckout,
  installGlobally,
  installLocked,
  packCheckout,
  type Installation,
} from '../support/processes/installed-package.ts';
import { installNode } from '../support/processes/other-node.ts';
import { startVodhouse } from '../support/processes/vodhouse-command.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

/** Releases that users have. What takes long is tried on one of them. */
const [OLDEST, NEWEST] = [22, 24];
const NODES = [OLDEST, NEWEST];

let folder: string;
let tarball: string;
let installed: Installation;
/** By major version of Node. */
const installations = new Map<number, Installation>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vodhouse-installed-'));
  tarball = await packCheckout(folder);
  for (const major of NODES) {
    const own = join(folder, `on-node-${major}`);
    mkdirSync(own);
    installed = await installGlobally(tarball, own, installNode(major));
    installations.set(major, installed);
  }
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the installed package, without those of its dependencies. */
function listFiles(): string[] {
  const paths = [...readFolder(installed.root).keys()];
  return paths.filter((path) => !path.startsWith('node_modules/')).sort();
}

/** The manifest of a dependency. */
const INSTALLED = /^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+package\.json$/;

/** `NAME VERSION` of each path of a dependency; npm may put one elsewhere than the lock file. */
function listVersions(paths: readonly string[], getVersion: (path: string) => string | undefined): string[] {
  const dependencies = paths.filter((path) => path !== '');
  return dependencies.map((path) => `${path.replace(/.*node_modules\//, '')} ${getVersion(path)}`).sort();
}

interface Lock {
  version?: string;
  packages: Record<string, { dev?: true; resolved?: string; version?: string }>;
}

const readVersion = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Lock).version;

const readJson = (path: string) => JSON.parse(readFileSync(join(installed.root, path), 'utf8')) as unknown;

describe('the package', () => {
  it.each(NODES)('is installed on Node %i without a warning, a script or a compiler', (major) => {
    const { stdout, stderr } = installations.get(major) ?? {};
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\s*added \d+ packages/);
  });

  it('has what a user needs and nothing else', () => {
    const rest = listFiles().filter((path) => !/^(?:assets|bin|deploy|dist|docs)\//.test(path));
    expect(rest.filter((path) => !/^drizzle\/\d{4}_\w+\.sql$/.test(path))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'drizzle/meta/_journal.json',
      'npm-shrinkwrap.json',
      'package.json',
    ]);
    expect(listFiles().filter((path) => /\.(?:ts|tsx|map)$|_snapshot\.json$/.test(path))).toEqual([]);
    expect(readJson('package.json')).toMatchObject({
      repository: { url: 'git+https://github.com/vodhouse/vodhouse.git' },
      scripts: expect.not.objectContaining({ prepare: expect.anything() as unknown }) as unknown,
    });
  });

  it('names the versions of its lock file, no registry, and nothing of the development', async () => {
    const { packages } = readJson('npm-shrinkwrap.json') as Lock;
    const entries = Object.entries(packages);
    expect(entries.filter(([, { dev, resolved }]) => dev ?? resolved)).toEqual([]);
    expect(Object.keys(packages)).not.toContain('node_modules/esbuild');
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    const locked = listVersions(Object.keys(packages), (path) => lock.packages[path]?.version);
    const root = await installLocked(tarball, folder);
    const paths = [...readFolder(root).keys()].filter((path) => INSTALLED.test(path));
    const found = paths.map((path) => path.replace(/\/package\.json$/, ''));
    expect(listVersions(found, (path) => readVersion(join(root, path)))).toEqual(locked);
  });

  it('holds no path of the checkout that it was packed from', () => {
    const paths = [folder, resolve('.'), resolve('node_modules')];
    const holding = [...readFolder(installed.root)].filter(
      ([path, bytes]) => !path.startsWith('node_modules/') && paths.some((each) => bytes.includes(each)),
    );
    expect(holding.map(([path]) => path)).toEqual([]);
  });

  it('has no link in its pages that leads out of it', () => {
    const dead = listPages(installed.root).map((page) => [page, findDeadLinks(installed.root, page)]);
    expect(dead.filter(([, links]) => links?.length !== 0)).toEqual([]);
  });

  it('exports nothing to import', () => {
    const script = "import('vodhouse').catch(({ code }) => console.log(code))";
    const cwd = join(installed.root, '..');
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd });
    expect(output.toString().trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

it('a checkout is installed without a compiler, and runs', async () => {
  const copy = join(folder, 'checkout');
  copyCheckout(copy);
  const node = installNode(OLDEST);
  await installCheckout(copy, node);
  const binary = join(copy, 'bin/vodhouse.js');
  const { code, stdout } = await startVodhouse(['demo', '--once'], { cwd: copy, binary, node }).ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('npx vodhouse query')]);
});

/** The config that `init` writes, for the packages of a sandbox. */
function pointAtSandbox(config: string, url: string): void {
  const text = readFileSync(config, 'utf8')
    .replaceAll(/https:\/\/\w+\.example\.test/g, url)
    .replace(/packages: \[101.*/, 'packages: [101, 102, 103]')
    .replace('port: 8320', 'port: 0');
  writeFileSync(config, text);
}

/** How the installed command is run on this Node. */
function surround(major: number, cwd: string, env = {}) {
  const { binary } = installations.get(major) ?? installed;
  return { cwd, binary, node: installNode(major), env: { VODHOUSE_KEY: 'sandbox-key', ...env } };
}

it('the installed command runs the demo in an empty folder', async () => {
  const cwd = mkdtempSync(join(folder, 'demo-'));
  const { code, stdout } = await startVodhouse(['demo', '--once'], surround(NEWEST, cwd)).ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}vodhouse query --file data\/demo\.bi\.db "select /m);
});

/** For NODE_OPTIONS: better-sqlite3 12 aborted Node 24 at a collection of garbage. */
const COLLECTING = '--expose-gc --import=data:text/javascript,setInterval(gc,200).unref()';

it.each(NODES)('the installed command leads on Node %i from init to a worker', async (major) => {
  const { url } = await startSandbox();
  const cwd = mkdtempSync(join(folder, 'work-'));
  const surroundings = surround(major, cwd);
  const run = async (...parameters: string[]) => {
    const { code, stdout, stderr } = await startVodhouse(parameters, surroundings).ended;
    expect([parameters, code, stderr.match(/^vodhouse: .*/m)?.[0]]).toEqual([parameters, 0, undefined]);
    return stdout;
  };
  expect(await run('init')).toContain('\n  3. vodhouse check\n');
  pointAtSandbox(join(cwd, 'vodhouse.yaml'), url);
  await run('check', '--all');
  const collecting = startVodhouse(['start'], surround(major, cwd, { NODE_OPTIONS: COLLECTING }));
  await expect.poll(() => existsSync(join(cwd, 'published/vodhouse.bi.db'))).toBe(true);
  collecting.kill('SIGTERM');
  const { code, stderr } = await collecting.ended;
  expect([code, /SIG(?!TERM)[A-Z]+|Assertion.*/.exec(stderr)?.[0]]).toEqual([0, undefined]);
  expect(await run('sync')).toContain('succeeded');
  expect(await run('publish')).toContain('published');
  expect(await run('status')).toContain('main/101');
  expect(await run('query', 'select count(*) as videos from videos')).toContain('280');
  const worker = startVodhouse(['start'], surroundings);
  await expect.poll(worker.stderr).toContain('INFO: worker of ');
  worker.kill('SIGTERM'); // also while its server starts
  expect((await worker.ended).code).toBe(0);
});

it.each(NODES)('starts on Node %i where the code that it kept is damaged', async (major) => {
  const { root } = installations.get(major) ?? installed;
  const kept = join(root, 'node_modules/.cache/vodhouse');
  const start = () => startVodhouse(['--version'], surround(major, folder)).ended;
  await start();
  const files = [...readFolder(kept)];
  expect(files.length).toBeGreaterThan(0);
  for (const [path, bytes] of files) writeFileSync(join(kept, path), bytes.fill(0x37, bytes.length >> 1));
  expect(await start()).toMatchObject({ code: 0, stderr: '' });
});
