import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, type ConfigOptions } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { readValue } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const PUBLISHED = 'published/vodhouse.bi.db';
/** A sandbox whose current day does not advance, so that a run can find nothing new. */
const settings = { storage: false, pageSize: 100 };

function folderWith(options: ConfigOptions, publish = 'publish: {}'): string {
  return createFolder({ [CONFIG]: configText({ ...settings, top: publish, ...options }) });
}

const inode = (cwd: string) => statSync(join(cwd, PUBLISHED)).ino;
const videos = (cwd: string) =>
  readValue(join(cwd, PUBLISHED), 'select count(*) from videos where is_removed = 0');

describe('sync', () => {
  it('publishes its changes, and publishes nothing where nothing changed', async () => {
    const { url, sandbox } = await startSandbox();
    const cwd = folderWith({ url });
    const first = await vodhouse(['sync'], { cwd });
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /^published published\/vodhouse\.bi\.db: 250 videos, 250 versions, 0 days of storage, [\d.]+ [kM]B in .*$/m,
    );
    expect(videos(cwd)).toBe(250);
    const before = inode(cwd);

    const second = await vodhouse(['sync', '--json'], { cwd });
    expect(JSON.parse(second.stdout)).toMatchObject({ status: 'succeeded', published: null });
    expect(inode(cwd)).toBe(before);

    sandbox.churn(30);
    const third = await vodhouse(['sync', '--json'], { cwd });
    const file = join(cwd, PUBLISHED);
    expect(JSON.parse(third.stdout)).toMatchObject({
      published: { file, bytes: statSync(file).size, rows: { packages: 1 } },
    });
    expect(videos(cwd)).toBe(readWarehouseValue(cwd, 'select count(*) from video where removed_at is null'));
    expect(inode(cwd)).not.toBe(before);
  });

  it('stores everything and publishes nothing where another file is at the path of the published file', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url });
    mkdirSync(join(cwd, 'published'));
    writeFileSync(join(cwd, PUBLISHED), 'my own notes');
    const { code, stdout } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^not published: publish\.file: .*vodhouse\.bi\.db exists, and vodhouse did not publish it/m,
    );
    expect(stdout).toContain('  -> name another file, or move this one away');
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(250);
    expect(readFileSync(join(cwd, PUBLISHED), 'utf8')).toBe('my own notes');
    const byHand = await vodhouse(['publish'], { cwd });
    expect(byHand.code).toBe(2);
  });
});

describe('publish', () => {
  it('replaces the file, and prints its contents', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url }, 'publish: {}');
    await vodhouse(['sync'], { cwd });
    const before = inode(cwd);
    const { code, stdout, stderr } = await vodhouse(['publish'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^published published\/vodhouse\.bi\.db: 250 videos, .*\n$/);
    expect(inode(cwd)).not.toBe(before);
    const { stdout: json } = await vodhouse(['publish', '--json'], { cwd });
    expect(JSON.parse(json)).toMatchObject({ rows: { videos: 250, video_history: 0 } });
  });

  it('ends with 2 where the config publishes nothing, and with 1 where there is nothing to publish', async () => {
    const without = createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:1' }) });
    const nowhere = await vodhouse(['publish'], { cwd: without });
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain('the config has no `publish`');
    expect(nowhere.stderr).toContain('`publish: {}`');
    const empty = await vodhouse(['publish'], { cwd: folderWith({ url: 'http://127.0.0.1:1' }) });
    expect(empty.code).toBe(1);
    expect(empty.stderr).toMatch(/^vodhouse: there is no warehouse at .*\n {2}-> vodhouse sync makes it\n$/);
  });
});
