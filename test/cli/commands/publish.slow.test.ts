import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { commandFolder, NOWHERE, sandboxFolder } from '../../support/fixtures/command-folder.ts';
import { readValue } from '../../support/fixtures/live-file.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A folder that publishes; without storage, so that a run can find nothing new. */
async function publishingFolder() {
  const folder = await sandboxFolder({ storage: false, pageSize: 100, top: 'publish: {}' });
  const file = join(folder.cwd, 'published/vodhouse.bi.db');
  return { ...folder, file, getInode: () => statSync(file).ino };
}

it('sync publishes its changes, and nothing where nothing changed; publish always replaces the file', async () => {
  const { succeed, json, sandbox, file, getInode, value } = await publishingFolder();
  expect(await succeed('sync')).toMatch(
    /^published published\/vodhouse\.bi\.db: 250 videos, 250 versions, 0 days of storage, [\d.]+ [kM]B in .*$/m,
  );
  const first = getInode();
  expect(await json('sync')).toMatchObject({ status: 'succeeded', published: null });
  expect(getInode()).toBe(first);

  sandbox.churn(30);
  const third = await json('sync');
  expect(third).toMatchObject({ published: { file, bytes: statSync(file).size, rows: { packages: 1 } } });
  const present = 'select count(*) from videos';
  expect(readValue(file, present)).toBe(value('select count(*) from video where removed_at is null'));
  const second = getInode();
  expect(second).not.toBe(first);

  expect(await succeed('publish')).toMatch(/^published published\/vodhouse\.bi\.db: \d+ videos, .*\n$/);
  expect(getInode()).not.toBe(second);
  expect(await json('publish')).toMatchObject({ file, rows: { packages: 1 }, targets: [] });
});

it('stores everything and publishes nothing where another file is at the path of the published file', async () => {
  const { run, file, value } = await publishingFolder();
  mkdirSync(join(file, '..'));
  writeFileSync(file, 'my own notes');
  const { code, stdout } = await run('sync');
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /^not published: publish\.file: .* vodhouse did not publish it.*\n {2}-> name another/m,
  );
  expect(value('select count(*) from video')).toBe(250);
  expect((await run('publish')).code).toBe(2);
  expect(readFileSync(file, 'utf8')).toBe('my own notes');
});

it.each([
  ['', 2, /the config has no `publish`.*\n {2}-> .*`publish: {}`/],
  ['publish: {}', 1, /^vodhouse: there is no warehouse at .*\n {2}-> vodhouse sync makes it\n$/],
])('publish with the config "%s" and no warehouse ends with %i', async (top, expected, message) => {
  const { code, stderr } = await commandFolder({ url: NOWHERE, top }).run('publish');
  expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
});

it.each([
  ['its reader has ended', '| true', 0, ''],
  ['its disk is full', '> /dev/full', 1, 'vodhouse: stdout cannot be written: the disk is full\n'],
])('publish loads all targets though %s', async (_, output, code, stderr) => {
  const targets = '[{ name: one, folder: ./one }, { name: two, folder: ./two }]';
  const { cwd, succeed, run, write, text } = await publishingFolder();
  await succeed('sync');
  for (const name of ['one', 'two']) mkdirSync(join(cwd, name));
  write(text.replace('publish: {}', `publish: { targets: ${targets} }`));
  const command = `set -o pipefail; "${process.execPath}" "${resolve('bin/vodhouse.js')}" publish ${output}`;
  const ended = spawnSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
  expect([ended.status, ended.stderr]).toEqual([code, stderr]);
  expect((await run('status')).stdout).toMatch(/^target one: .*1 up to date.*\ntarget two: .*1 up to date/m);
});

it.skipIf(process.getuid?.() !== 0)(
  'prints how to mount a published file that is mounted by itself',
  async () => {
    const { cwd, file, succeed } = await publishingFolder();
    await succeed('sync');
    const mounted = 'touch mounted.db && mount --bind mounted.db "$1" && exec "$2" "$3" publish';
    const words = ['--mount', 'sh', '-ec', mounted, 'sh', file, process.execPath, resolve('bin/vodhouse.js')];
    const { status, stderr } = spawnSync('unshare', words, { cwd, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /vodhouse\.bi\.db cannot be replaced: it is a mount point.*\n {2}-> mount its folder, not the file/,
    );
    await succeed('publish');
  },
);
