import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockOrThrow } from '../../../src/database/lock.ts';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { writeFilled, readContents } from '../../support/fixtures/full-warehouse.ts';

const AT = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/.source;

/** A folder with a config and a filled live file. */
async function filledFolder(): Promise<string> {
  const cwd = createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:9' }) });
  await writeFilled(join(cwd, WAREHOUSE));
  return cwd;
}

describe('backup and restore', () => {
  it('print what they did, where the files are, and the next command', async () => {
    const cwd = await filledFolder();
    const before = readContents(join(cwd, WAREHOUSE));
    renameSync(join(cwd, CONFIG), join(cwd, 'other.yaml'));
    const other = ['--config', 'other.yaml'];
    const backup = await vodhouse(['backup', 'backups/x y.db', ...other], { cwd });
    expect([backup.code, backup.stderr]).toEqual([0, '']);
    expect(backup.stdout).toMatch(
      /^backed up data\/vodhouse\.db to backups\/x y\.db: 40 videos, \d+ kB, [\d.]+m?s\nto restore it: vodhouse restore 'backups\/x y\.db' --config other\.yaml\n$/,
    );
    execute(join(cwd, WAREHOUSE), "update package set name = 'later'");
    const restore = await vodhouse(['restore', 'backups/x y.db', ...other], { cwd });
    expect([restore.code, restore.stderr]).toEqual([0, '']);
    expect(restore.stdout.split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^restored data/vodhouse\\.db from backups/x y\\.db: 40 videos, \\d+ kB, last run ended ${AT}$`,
        ),
      ),
      expect.stringMatching(/^the previous file is kept: data\/vodhouse\.db\.before-restore-\d{8}-\d{6}$/),
      expect.stringMatching(
        /^the requests since the backup are not known: .* sooner: vodhouse resume ACCOUNT --config other\.yaml$/,
      ),
      'to go on with it: vodhouse sync --config other.yaml, or start the worker',
      'to try it only: vodhouse status --config other.yaml, then vodhouse publish --config other.yaml; ' +
        'neither sends a request to the service',
      '',
    ]);
    expect(readContents(join(cwd, WAREHOUSE))).toEqual(before);
  });

  it('print it as one JSON document', async () => {
    const cwd = await filledFolder();
    const file = join(cwd, 'copy.db');
    const backup = await vodhouse(['backup', 'copy.db', '--json'], { cwd });
    const held = { file, warehouse: join(cwd, WAREHOUSE), videos: 40, last_run_at: '2026-03-01 12:01:00' };
    const number = expect.any(Number) as number;
    expect(JSON.parse(backup.stdout)).toEqual({ ...held, size_bytes: number, duration_ms: number });
    const restore = await vodhouse(['restore', 'copy.db', '--json'], { cwd });
    const kept = expect.stringContaining('.before-restore-') as string;
    expect(JSON.parse(restore.stdout)).toEqual({
      ...held,
      size_bytes: number,
      kept,
      paused_until: expect.any(String) as string,
      new_warehouse_id: null,
    });
  });
});

describe('restore', () => {
  it('ends with 75 during a run, and names the process', async () => {
    const cwd = await filledFolder();
    await vodhouse(['backup', 'copy.db'], { cwd });
    const lock = lockOrThrow(join(cwd, WAREHOUSE), 'worker', 'start', Date.now());
    const { code, stdout, stderr } = await vodhouse(['restore', 'copy.db'], { cwd });
    lock.release();
    expect([code, stdout]).toEqual([75, '']);
    expect(stderr).toContain(`a worker is running: vodhouse start on ${hostname()}, pid ${process.pid}`);
    expect(stderr).toContain('-> stop it first: a restore needs the warehouse for itself');
  });

  it('that was interrupted makes all other commands report it, until another restore completes it', async () => {
    const cwd = await filledFolder();
    await vodhouse(['backup', 'copy.db'], { cwd });
    const path = join(cwd, WAREHOUSE);
    copyFileSync(join(cwd, 'copy.db'), `${path}.restoring`);
    rmSync(path);
    const commands = [['sync'], ['status']];
    const ends = await Promise.all(
      commands.map((command) => vodhouse([...command, '--log-level', 'silent'], { cwd })),
    );
    for (const { code, stderr } of ends) {
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /a restore of .* was broken off: .*\.restoring is there\n {2}-> vodhouse restore FILE, /,
      );
    }
    expect(readdirSync(cwd).sort()).toEqual(['copy.db', 'data', CONFIG]);
    expect((await vodhouse(['restore', 'copy.db'], { cwd })).code).toBe(0);
    expect(readContents(path)).toEqual(readContents(join(cwd, 'copy.db')));
  });
});

describe('a backup that gets a signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s ends with 130, and leaves nothing', async (name) => {
    const cwd = await filledFolder();
    execute(
      join(cwd, WAREHOUSE),
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
       insert into quarantine (account, stream, reason, raw, seen_at)
       select 'main', 'videos', 'large', hex(zeroblob(25000)), '2026-03-01 12:00:00' from n`,
    );
    const before = readdirSync(cwd);
    const command = startVodhouse(['backup', 'copy.db'], { cwd });
    await eventually(() => readdirSync(cwd).join()).toContain('copy.db.new-');
    command.kill(name);
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toBe(
      `stopping; no backup is made; a second signal stops at once\nvodhouse: stopped by ${name} before the end\n`,
    );
    expect(readdirSync(cwd)).toEqual(before);
  });
});
