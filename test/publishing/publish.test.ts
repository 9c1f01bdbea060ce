import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Database } from '../../src/database/sqlite.ts';
import { describe, expect, it, vi } from 'vitest';
import { PACKAGE_ROOT } from '../../src/lib/package-root.ts';
import { ConfigError, LockedError } from '../../src/lib/errors.ts';
import { tryLock } from '../../src/database/lock.ts';
import { publish } from '../../src/publishing/publish.ts';
import { createPublisher } from '../../src/publishing/publisher.ts';
import { change, liveFileWith, packageRow } from '../support/fixtures/filled-live-file.ts';
import { execute, hashFile, readRows, readValue } from '../support/fixtures/live-file.ts';
import {
  createPublishRequest,
  namesBeside,
  published,
  smallLiveFile,
} from '../support/fixtures/published-file.ts';

vi.setConfig({ testTimeout: 30_000 });

describe('a published file', () => {
  it('is read-only, a single file, and describes itself', async () => {
    const { file, select, publication } = await published(smallLiveFile());
    expect(statSync(file).mode & 0o777).toBe(0o444);
    expect(select('pragma journal_mode')).toEqual([{ journal_mode: 'delete' }]);
    expect(select('pragma application_id')).toEqual([{ application_id: 0x766f6470 }]);
    expect(select('pragma freelist_count')).toEqual([{ freelist_count: 0 }]);
    expect(readValue(file, 'select count(*) from sqlite_stat1')).toBeGreaterThan(4);
    expect(namesBeside(file)).toEqual(['live.db', 'live.db.publish.lock', 'out.db']);
    expect(publication).toMatchObject({ file, bytes: statSync(file).size });
  });

  it('declares keys and foreign keys that are valid', async () => {
    const { select } = await published(smallLiveFile());
    const parents = (table: string) =>
      select(`select "from", "table", "to" from pragma_foreign_key_list('${table}') order by id, seq`);
    expect(parents('all_videos')).toEqual([{ from: 'package_key', table: 'packages', to: 'package_key' }]);
    expect(parents('video_history')).toEqual([{ from: 'video_key', table: 'all_videos', to: 'video_key' }]);
    expect(
      parents('package_daily')
        .map(({ table }) => table)
        .sort(),
    ).toEqual(['dates', 'packages']);
    expect(parents('storage_daily')).toEqual([{ from: 'day', table: 'dates', to: 'day' }]);
    expect(select('pragma foreign_key_check')).toEqual([]);
  });

  it('can be read by SQLite 3.31: its views use no newer function', async () => {
    const { select } = await published(smallLiveFile());
    const text = select('select sql from sqlite_schema where sql is not null').map(({ sql }) => String(sql));
    expect(text.length).toBeGreaterThan(10);
    expect(text.join('\n')).not.toMatch(/->|unixepoch|iif\(|strict\b|generated|returning/i);
  });

  it('stays readable for a process that has it open when the next one replaces it', async () => {
    const path = smallLiveFile();
    const { file } = await published(path);
    const reader = new Database(file, { readonly: true });
    const title = () => reader.prepare('select title from videos where video_id = 1').pluck().get();
    expect(title()).toBe('Video 1');
    execute(path, change(1, '2026-03-02 00:00:00', "title = 'New'"));
    await published(path);
    expect(title()).toBe('Video 1');
    reader.close();
    expect(readValue(file, 'select title from videos where video_id = 1')).toBe('New');
  });

  it('is made while the live file is being written', async () => {
    const path = smallLiveFile();
    const write = change(1, '2026-03-02 00:00:00', "title = 'not committed'");
    const writer = new Worker(WRITE_FOR_A_SECOND, { eval: true, workerData: { path, write } });
    await once(writer, 'message');
    const { select } = await published(path);
    expect(select('select title from videos where video_id = 1')).toEqual([{ title: 'Video 1' }]);
    await writer.terminate();
  });
});

/** In a thread of its own, because SQLite blocks this one. */
const WRITE_FOR_A_SECOND = `
const { parentPort, workerData: { path, write } } = require('node:worker_threads');
import(${JSON.stringify(new URL('dist/database/sqlite.js', PACKAGE_ROOT).href)}).then(({ Database }) => {
  const db = new Database(path);
  db.exec('begin immediate; ' + write);
  parentPort.postMessage('begun');
  setTimeout(() => db.exec('rollback'), 1000);
});`;

describe('a published file of another warehouse', () => {
  it('does not change: it may hold history that a new warehouse lacks', async () => {
    const path = smallLiveFile();
    const { file } = await published(path);
    const before = hashFile(file);
    const other = liveFileWith(packageRow(101));
    execute(other, "update warehouse_state set created_at = '2026-03-09 00:00:00'");
    const error: unknown = await publish(createPublishRequest(other, { file })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      message: `publish.file: ${file} was made from another warehouse, begun 2026-03-01 00:00:00 UTC; it stays as it is`,
    });
    expect(namesBeside(file).filter((name) => name.includes('.new-'))).toEqual([]);
    expect(hashFile(file)).toBe(before);
  });
});

describe('publishing', () => {
  it('needs its folder, and removes only what a killed process left', async () => {
    const path = smallLiveFile();
    const file = join(dirname(path), 'bi', 'out.db');
    await expect(published(path, { file })).rejects.toThrow(`the folder ${dirname(file)} does not exist`);
    mkdirSync(dirname(file));
    await published(path, { file });
    for (const name of ['out.db.new-1', 'out.db.new-99-movement', 'out.db.new', 'other.db.new-1'])
      writeFileSync(join(dirname(file), name), 'left');
    await published(path, { file });
    expect(namesBeside(file)).toEqual(['other.db.new-1', 'out.db', 'out.db.new']);
  });

  it('refuses to overwrite a file that it did not make', async () => {
    const order = createPublishRequest(smallLiveFile());
    writeFileSync(order.file, 'hello, world');
    await expect(publish(order)).rejects.toThrow(ConfigError);
    expect(readFileSync(order.file, 'utf8')).toBe('hello, world');
  });

  it('replaces an empty file', async () => {
    const path = smallLiveFile();
    writeFileSync(createPublishRequest(path).file, '');
    const { select } = await published(path);
    expect(select('select count(*) as n from videos')).toEqual([{ n: 2 }]);
  });

  it('refuses to overwrite another warehouse, and a folder', async () => {
    const other = smallLiveFile();
    const before = hashFile(other);
    await expect(publish(createPublishRequest(smallLiveFile(), { file: other }))).rejects.toThrow(
      /vodhouse did not publish it/,
    );
    expect(hashFile(other)).toBe(before);
    const path = smallLiveFile();
    mkdirSync(createPublishRequest(path).file);
    await expect(publish(createPublishRequest(path))).rejects.toThrow(ConfigError);
  });

  it('follows a link at the path of the published file', async () => {
    const path = smallLiveFile();
    const target = createPublishRequest(path);
    const link = join(dirname(path), 'link.db');
    symlinkSync(target.file, link);
    await createPublisher({ ...target, file: link }).publish(target.now, new AbortController().signal);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readRows(target.file, 'select count(*) as n from videos')).toEqual([{ n: 2 }]);
  });

  it('replaces a published file that is truncated', async () => {
    const path = smallLiveFile();
    const { file } = await published(path);
    const beginning = readFileSync(file).subarray(0, 5000);
    chmodSync(file, 0o644);
    writeFileSync(file, beginning);
    const { select } = await published(path);
    expect(select('select count(*) as n from videos')).toEqual([{ n: 2 }]);
  });

  it('leaves the work to the process that publishes already', async () => {
    const order = createPublishRequest(smallLiveFile());
    const lock = tryLock(order.live, 'publish', 'start', order.now);
    await expect(publish(order)).rejects.toThrow(LockedError);
    await expect(publish(order)).rejects.toThrow(
      /the published file is being made: vodhouse start on .*, pid \d+/,
    );
    lock?.release();
    await publish(order);
  });

  it('rejects a column that cannot be left out, and names those that can', async () => {
    const error = await publish(
      createPublishRequest(smallLiveFile(), { exclude: ['filesize', 'video_id', 'colour'] }),
    ).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ message: 'publish.exclude: video_id, colour cannot be left out' });
    expect((error as ConfigError).hint).toContain('access_key, original_access_key, org_access_key');
  });
});
