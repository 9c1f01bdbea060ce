import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockOrThrow } from '../../../src/database/lock.ts';
import { commandFolder, NOWHERE } from '../../support/fixtures/command-folder.ts';
import { CONFIG } from '../../support/fixtures/config-file.ts';
import { readContents, writeFilled } from '../../support/fixtures/full-warehouse.ts';

/** A folder with a config and a filled live file. */
async function filledFolder() {
  const folder = commandFolder({ url: NOWHERE });
  await writeFilled(folder.live);
  return folder;
}

describe('backup and restore', () => {
  it('print what they did, where the files are, and the next command', async () => {
    const { cwd, live, succeed, execute } = await filledFolder();
    const before = readContents(live);
    renameSync(join(cwd, CONFIG), join(cwd, 'other.yaml'));
    mkdirSync(join(cwd, 'backups'));
    const other = ['--config', 'other.yaml'];
    expect(await succeed('backup', 'backups/x y.db', ...other)).toMatch(
      /^backed up data\/vodhouse\.db to backups\/x y\.db: 40 videos, .*\nto restore it: vodhouse restore 'backups\/x y\.db' --config other\.yaml\n$/,
    );
    execute("update package set name = 'later'");
    const restored = await succeed('restore', 'backups/x y.db', ...other);
    expect(restored).toMatch(/^restored data\/vodhouse\.db from backups\/x y\.db: 40 videos, /);
    expect(restored).toMatch(/data\/vodhouse\.db\.before-restore-\d{8}-\d{6}$/m);
    for (const words of ['resume ACCOUNT', 'sync', 'status', 'publish'])
      expect(restored).toContain(`vodhouse ${words} --config other.yaml`);
    expect(readContents(live)).toEqual(before);
  });

  it('print it as one JSON document', async () => {
    const { cwd, live, json } = await filledFolder();
    const number = expect.any(Number) as number;
    const held = { file: join(cwd, 'copy.db'), warehouse: live, videos: 40, size_bytes: number };
    const backup = { ...held, last_run_at: '2026-03-01 12:01:00' };
    expect(await json('backup', 'copy.db')).toEqual({ ...backup, duration_ms: number });
    expect(await json('restore', 'copy.db')).toEqual({
      ...backup,
      kept: expect.stringContaining('.before-restore-') as string,
      paused_until: expect.any(String) as string,
      new_warehouse_id: null,
    });
  });
});

describe('restore', () => {
  it('ends with 75 during a run, and names the process', async () => {
    const { live, run, succeed } = await filledFolder();
    await succeed('backup', 'copy.db');
    const lock = lockOrThrow(live, 'worker', 'start', Date.now());
    const { code, stdout, stderr } = await run('restore', 'copy.db');
    lock.release();
    expect([code, stdout]).toEqual([75, '']);
    expect(stderr).toContain(`vodhouse start on ${hostname()}, pid ${process.pid}`);
    expect(stderr).toContain('-> stop it first');
  });

  it('that was interrupted makes all other commands report it, until another restore completes it', async () => {
    const { cwd, live, run, succeed } = await filledFolder();
    await succeed('backup', 'copy.db');
    copyFileSync(join(cwd, 'copy.db'), `${live}.restoring`);
    rmSync(live);
    for (const command of ['sync', 'status']) {
      const { code, stderr } = await run(command, '--log-level', 'silent');
      expect(code).toBe(1);
      expect(stderr).toMatch(/a restore of .* was broken off: .*\n {2}-> vodhouse restore FILE, /);
    }
    expect(readdirSync(cwd).sort()).toEqual(['copy.db', 'data', CONFIG]);
    expect(readdirSync(join(cwd, 'data'))).not.toContain('vodhouse.db');
    await succeed('restore', 'copy.db');
    expect(readContents(live)).toEqual(readContents(join(cwd, 'copy.db')));
  });
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  'a backup that gets %s ends with 130, and leaves nothing',
  async (name) => {
    const { cwd, start, execute } = await filledFolder();
    execute(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
       insert into quarantine (account, stream, reason, raw, seen_at)
       select 'main', 'videos', 'large', hex(zeroblob(25000)), '2026-03-01 12:00:00' from n`,
    );
    const before = readdirSync(cwd);
    const command = start('backup', 'copy.db');
    await expect.poll(() => readdirSync(cwd).join()).toContain('copy.db.new-');
    command.kill(name);
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toBe(
      `stopping; no backup is made; a second signal stops at once\nvodhouse: stopped by ${name} before the end\n`,
    );
    expect(readdirSync(cwd)).toEqual(before);
  },
);
