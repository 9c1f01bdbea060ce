import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
  cpSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { hashFile } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { NOBODY, run, startProcess } from '../support/processes/child-process.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The command where the user can read it: in this checkout or a copy of it; null: in neither. */
let binary: string | null = null;

beforeAll(async () => {
  for (const place of [() => ROOT, copyOfCheckout]) {
    const bin = join(place(), 'bin/vodhouse.js');
    const { code } = await startProcess(process.execPath, [bin, '--version'], { cwd: '/', ...NOBODY }).ended;
    if (code !== 0) continue;
    binary = bin;
    return;
  }
});

function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'vodhouse-test-'));
  afterAll(() => rmSync(copy, { recursive: true }));
  for (const name of ['bin', 'dist', 'drizzle', 'package.json']) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  return copy;
}

const TIMEOUT_MS = 60_000;
const HIDDEN = 0o700;
const READ_ONLY = 0o555;
const OPEN_TO_ALL = 0o777;

const CONFIG = `timezone: Asia/Seoul
warehouse: data/live.db
accounts:
  - name: main
    video_list: { base_url: http://127.0.0.1:1, key: a-key }
    packages: [101]
`;

/** A folder with a config that everyone may read, and the folder of its warehouse. */
function places() {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'vodhouse.yaml'), CONFIG);
  const data = join(folder, 'data');
  mkdirSync(data);
  return { folder, data, path: join(data, 'live.db') };
}

function makeFile(path: string): void {
  openWarehouse(path, createVirtualClock('2026-03-01T12:00Z')).close();
}

/** Runs `vodhouse sync`, or another command, in the folder as a user who may not write there. */
async function sync(folder: string, context: TestContext, command = ['sync']) {
  if (binary === null) return context.skip('the user nobody can read neither this checkout nor a copy of it');
  return run([binary, ...command, '--log-level', 'silent'], { cwd: folder, ...NOBODY }).ended;
}

/** Takes the rights away; returns the files that must be in the folder of the warehouse afterwards. */
type Case = [what: string, take: (place: ReturnType<typeof places>) => string[]];

const CASES: Case[] = [
  [
    'the folder is read-only and there is no file yet',
    ({ data }) => {
      chmodSync(data, READ_ONLY);
      return [];
    },
  ],
  [
    'the folder is hidden',
    ({ data, path }) => {
      makeFile(path);
      chmodSync(data, process.getuid?.() === 0 ? HIDDEN : 0);
      return ['live.db'];
    },
  ],
  ...([READ_ONLY, OPEN_TO_ALL] as const).map((mode): Case => [
    `the file is read-only, in a folder of mode ${mode.toString(8)}`,
    ({ data, path }) => {
      makeFile(path);
      chmodSync(path, 0o444);
      chmodSync(data, mode);
      return ['live.db'];
    },
  ]),
  [
    'the file is writable and its folder is not',
    ({ data, path }) => {
      makeFile(path);
      if (process.getuid?.() === 0) chownSync(path, 65534, 65534);
      chmodSync(data, READ_ONLY);
      return ['live.db'];
    },
  ],
];

it.skipIf(process.getuid?.() !== 0)(
  'a .env that the user may not read is named with its owner, its mode, and what to type',
  { timeout: TIMEOUT_MS },
  async (context) => {
    const { folder } = places();
    const file = join(folder, '.env');
    writeFileSync(file, 'KEY=k\n', { mode: 0o600 });
    const denied = await sync(folder, context, ['status']);
    expect(denied.code).toBe(2);
    expect(denied.stderr).toContain(
      `${file} cannot be read: it belongs to user 0, with mode 600, and this is user 65534\n  -> run vodhouse as`,
    );
    expect(denied.stderr).toContain(`sudo chown 65534 ${file}\n`);
    chownSync(file, 65534, 65534);
    chmodSync(file, 0);
    expect((await sync(folder, context, ['status'])).stderr).toContain(`-> chmod 600 ${file}\n`);
    rmSync(file);
    writeFileSync(join(folder, 'secret'), 'a-key', { mode: 0o600 });
    writeFileSync(join(folder, 'vodhouse.yaml'), CONFIG.replace('a-key', '"${file:secret}"'));
    expect((await sync(folder, context, ['check'])).stderr).toContain(
      '${file:secret} cannot be read (it belongs to user 0, with mode 600, and this is user 65534); run vodhouse as',
    );
    chmodSync(folder, HIDDEN);
    const hidden = await sync('/', context, ['status', '--config', join(folder, 'vodhouse.yaml')]);
    expect(hidden.stderr).toMatch(/vodhouse\.yaml cannot be read: EACCES.*\n {2}-> .*: ls -la /);
  },
);

describe('a warehouse that the user may not write', () => {
  it.for(CASES)(
    'ends with 1 and a clear message, and does not change: %s',
    { timeout: TIMEOUT_MS },
    async ([, take], context) => {
      const place = places();
      const { folder, data, path } = place;
      const files = take(place);
      const before = files.map(() => hashFile(path));
      const { code, stdout, stderr } = await sync(folder, context);
      chmodSync(data, HIDDEN);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(
          `^vodhouse: ${path} cannot be opened for writing \\(.+\\)\\n {2}-> check who owns it and its folder: ls -la .+\\n$`,
        ),
      );
      expect(readdirSync(data)).toEqual(files);
      expect(files.map(() => hashFile(path))).toEqual(before);
    },
  );

  it(
    'names the nearest folder that exists, where its own cannot be made',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { folder, data } = places();
      rmdirSync(data);
      const { code, stderr } = await sync(folder, context);
      expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`ls -la ${folder}\n$`))]);
    },
  );
});

it(
  'vodhouse query names the permissions that it needs, where the file or its folder is hidden from the user',
  async (context) => {
    const { folder, data, path } = places();
    writeFileSync(path, '');
    for (const hidden of [data, path]) {
      chmodSync(data, 0o755);
      chmodSync(hidden, process.getuid?.() === 0 ? HIDDEN : 0);
      const { code, stderr } = await sync(folder, context, ['query', '--file', path, 'select 1']);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`namei -l ${path}`)]);
    }
    chmodSync(data, HIDDEN);
  },
  TIMEOUT_MS,
);
