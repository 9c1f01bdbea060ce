import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { build } from '../../src/publishing/build.ts';
import { checkFile } from '../../src/publishing/check.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { publish } from '../../src/publishing/publish.ts';
import { change } from '../support/fixtures/filled-live-file.ts';
import { execute, hashFile, readValue } from '../support/fixtures/live-file.ts';
import {
  createPublishRequest,
  namesBeside,
  published,
  smallLiveFile,
} from '../support/fixtures/published-file.ts';

vi.setConfig({ testTimeout: 30_000 });

describe('a file that would be invalid', () => {
  const refused = async (path: string) => {
    const { file } = createPublishRequest(path);
    const before = existsSync(file) ? hashFile(file) : null;
    const error: unknown = await publish(createPublishRequest(path)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WarehouseError);
    expect(existsSync(file) ? hashFile(file) : null).toBe(before);
    expect(namesBeside(file).filter((name) => name.includes('new'))).toEqual([]);
    return (error as Error).message;
  };

  it('is not published: a number of another class', async () => {
    const path = smallLiveFile();
    await published(path);
    execute(path, 'update video set filesize = 12.5, change_seq = 90 where id = 2');
    expect(await refused(path)).toContain('has a size_bytes that is not BIGINT: main/101');
  });

  it('is not published: text in a number, in a former state', async () => {
    const path = smallLiveFile();
    execute(
      path,
      change(1, '2026-03-02 00:00:00', "v_framerate = 'fast'") +
        change(1, '2026-03-03 00:00:00', 'v_framerate = 25'),
    );
    expect(await refused(path)).toContain(
      'its table video_history has a frames_per_second that is not REAL: main/101/1, ',
    );
  });

  it('is rejected by its check: a count below zero', async () => {
    const request = createPublishRequest(smallLiveFile());
    const marts = createMarts(request);
    const expected = build(request.file, marts, request);
    const check = () => checkFile(request.file, [marts.packageDaily], expected);
    expect(check()).toEqual({ package_daily: 10 });
    execute(request.file, "update package_daily set removed_count = -1 where day = '2026-03-05'");
    expect(check).toThrow(
      'the new file is not published: its table package_daily has a negative count: main/101, 2026-03-05',
    );
  });

  it('is rejected by its check: a row whose parent is missing', async () => {
    const request = createPublishRequest(smallLiveFile());
    const marts = createMarts(request);
    const expected = build(request.file, marts, request);
    execute(request.file, 'pragma foreign_keys = off; delete from packages');
    expect(() => checkFile(request.file, [marts.allVideos], expected)).toThrow(
      'its table all_videos has a package_key that is not in packages: main/101/1',
    );
  });

  it('is rejected by its check: an index that misses a row', async () => {
    const request = createPublishRequest(smallLiveFile());
    build(request.file, createMarts(request), request);
    const root = Number(
      readValue(
        request.file,
        "select rootpage from sqlite_schema where name = 'sqlite_autoindex_all_videos_1'",
      ),
    );
    const bytes = readFileSync(request.file);
    writeFileSync(request.file, bytes.fill(0x37, root * 16_384 - 4, root * 16_384 - 2));
    expect(() => checkFile(request.file, [], {})).toThrow(
      /it is damaged: .*(?:missing from index|malformed|out of order)/s,
    );
  });

  it('is not published: a state that ends before it begins', async () => {
    const path = smallLiveFile();
    await published(path);
    execute(
      path,
      change(1, '2026-03-05 05:00:00', "title = 'New'") +
        "update video_version set changed_at = '2026-03-05 04:00:00', valid_to = '2026-03-05 03:00:00'",
    );
    expect(await refused(path)).toMatch(
      /its table video_history has an end before its beginning: main\/101\/1, 1$/,
    );
  });

  it('is not published: two present states of a video', async () => {
    const path = smallLiveFile();
    await published(path);
    execute(
      path,
      change(1, '2026-03-05 05:00:00', "title = 'New'") +
        "update video_version set valid_to = '2026-03-05 06:00:00'",
    );
    expect(await refused(path)).toContain(
      'its table video_history has a second present state of its video: main/101/1, 1',
    );
  });

  it('is not published: an invalid moment', async () => {
    const path = smallLiveFile();
    execute(path, 'pragma foreign_keys = off; update video set first_seen_at = 12 where id = 1');
    expect(await refused(path)).toContain('a first_seen_at that is not TIMESTAMP');
  });

  it('is not published: a blob in a text', async () => {
    const path = smallLiveFile();
    execute(path, "update video set title = x'00' where id = 1");
    expect(await refused(path)).toContain('a title that is not VARCHAR(2000)');
  });

  it('is not published: rows of an unknown package', async () => {
    const path = smallLiveFile();
    execute(path, 'delete from package');
    expect(await refused(path)).toContain('its table all_videos has 0 rows; by the live file it has 2');
  });

  it('is not published, and no file is made, where the live file is missing or being restored', async () => {
    const path = smallLiveFile();
    writeFileSync(`${path}.restoring`, '');
    expect(await refused(path)).toContain(`a restore of ${path} was broken off`);
    rmSync(`${path}.restoring`);
    rmSync(path);
    expect(await refused(path)).toBe(`there is no warehouse at ${path}`);
    expect(namesBeside(createPublishRequest(path).file)).toEqual(['live.db.publish.lock']);
  });

  it('is not published: a live file that is damaged', async () => {
    const path = smallLiveFile();
    execute(path, 'pragma wal_checkpoint(truncate)');
    const bytes = readFileSync(path);
    const root = Number(readValue(path, "select rootpage from sqlite_schema where name = 'video'"));
    bytes.fill(0xff, (root - 1) * 4096, root * 4096);
    writeFileSync(path, bytes);
    expect(await refused(path)).toMatch(/live\.db is damaged: database disk image is malformed$/);
  });
});
