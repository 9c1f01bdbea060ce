import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBackupLoop } from '../../src/app/backup-loop.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { HOUR_MS, DAY_MS } from '../../src/lib/clock.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import { beginRun } from '../../src/warehouse/runs.ts';
import { beginBackup } from '../../src/warehouse/statements/backup.ts';
import { readHealth } from '../support/fixtures/health-report.ts';

/** A backup each night at half past two, of a warehouse that is opened at noon. */
async function openLoop({ keep = 2, hasRun = true, hasFolder = true } = {}) {
  const { path, clock, warehouse } = await openTestWarehouse({ start: '2026-03-01T12:00Z' });
  const run = { trigger: 'manual', mode: 'full', now: clock.now(), scope: null, origin: null } as const;
  const makeRun = () => {
    transact(warehouse.db, (tx) => beginRun(tx, run));
    execute(path, `update run set status = 'succeeded', finished_at = started_at`);
  };
  if (hasRun) makeRun();
  const folder = join(temporaryFolder(), 'backups');
  if (hasFolder) mkdirSync(folder);
  const log: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'json',
    secrets: [],
    write: (line) => void log.push(line),
  });
  const backup = { schedule: '30 2 * * *', folder, keep };
  const config = { ...createTestConfig({ url: 'http://127.0.0.1:1' }, path), backup };
  const open = () => createBackupLoop({ config, warehouse, clock, logger });
  let loop = open();
  onTestFinished(() => loop.close());
  const files = () => (existsSync(folder) ? readdirSync(folder).sort() : []);
  return {
    path,
    clock,
    warehouse,
    log,
    folder,
    files,
    makeRun,
    /** Backups that were made; their files are complete. */
    count: () => readValue(path, 'select count(*) from backup where finished_at is not null'),
    check: () => loop.check(),
    reopen: () => void (loop = open()),
    problems: () => {
      const { problems } = readHealth({ config, file: path, clock });
      return problems.filter(({ of }) => of.kind === 'backup');
    },
  };
}

describe('the backups of the worker', () => {
  it('are made once a tick, complete, and the oldest is deleted', async () => {
    const { path, clock, files, folder, count, check } = await openLoop();
    check();
    await expect.poll(files).toEqual(['live-2026-03-01T120000Z.db']);
    await expect.poll(count).toBe(1);
    check();
    check();
    clock.set('2026-03-02T02:30Z');
    check();
    await expect.poll(count).toBe(2);
    clock.advance(DAY_MS);
    check();
    await expect.poll(files).toEqual(['live-2026-03-02T023000Z.db', 'live-2026-03-03T023000Z.db']);
    await expect
      .poll(() => readRows(path, 'select file, error from backup order by backup_id'))
      .toEqual(files().map((name) => ({ file: join(folder, name), error: null })));
    expect(readValue(join(folder, files()[1] ?? ''), 'select count(*) from package')).toBe(1);
  });

  it('begin with the first full run', async () => {
    const { files, check, makeRun, log } = await openLoop({ hasRun: false });
    check();
    makeRun();
    expect([files(), log]).toEqual([[], []]);
    check();
    await expect.poll(() => files().length).toBe(1);
  });

  it('never delete a new one, or any file of others, though the clock was a year ahead', async () => {
    const { clock, files, count, check, folder } = await openLoop();
    clock.set('2027-03-01T12:00Z');
    check();
    await expect.poll(count).toBe(1);
    clock.set('2027-03-02T12:00Z');
    check();
    await expect.poll(count).toBe(2);
    writeFileSync(join(folder, 'live-2020-01-01T000000Z.db'), 'of another');
    clock.set('2026-03-01T12:00Z');
    check();
    await expect
      .poll(files)
      .toEqual(['live-2020-01-01T000000Z.db', 'live-2026-03-01T120000Z.db', 'live-2027-03-02T120000Z.db']);
  });

  it('are a problem while they fail, and are tried again each hour until one is made', async () => {
    const { path, clock, log, check, problems, folder } = await openLoop({ hasFolder: false });
    const attempts = () => readValue(path, 'select count(*) from backup where error is not null');
    check();
    await expect.poll(attempts).toBe(1);
    check();
    clock.advance(HOUR_MS - 1000);
    check();
    clock.advance(1000);
    check();
    await expect.poll(attempts).toBe(2);
    expect(log.filter((line) => line.includes('"event":"backup_failed"'))).toHaveLength(2);
    expect(problems()).toMatchObject([
      {
        of: { kind: 'backup' },
        since: '2026-03-01 12:00:00',
        message: 'The backup of the warehouse failed, there is none yet',
        advice: { text: expect.stringContaining('an hour after a failure') as string },
        details: [expect.stringContaining(`the folder ${folder} does not exist`) as string],
      },
    ]);
    mkdirSync(folder);
    clock.advance(HOUR_MS);
    check();
    await expect.poll(problems).toEqual([]);
  });

  it('leave those of the original alone in a copy of its live file', async () => {
    const { path, clock, files, check } = await openLoop({ keep: 1 });
    const original = join(temporaryFolder(), 'live-2026-02-28T023000Z.db');
    writeFileSync(original, 'the only backup of the original');
    execute(path, `insert into backup values (1, '${original}', '2026-02-28', '2026-02-28', 1, null)`);
    check();
    await expect.poll(files).toEqual(['live-2026-03-01T120000Z.db']);
    clock.advance(DAY_MS);
    check();
    await expect.poll(files).toEqual(['live-2026-03-02T120000Z.db']);
    expect(existsSync(original)).toBe(true);
  });

  it('that a killed process began do not count', async () => {
    const { path, files, folder, check, count, warehouse, reopen } = await openLoop();
    check();
    await expect.poll(count).toBe(1);
    transact(warehouse.db, (tx) =>
      beginBackup(tx, { file: join(folder, 'never.db'), started_at: '2026-03-01 12:00:00' }),
    );
    reopen();
    expect(readRows(path, 'select file from backup')).toEqual([{ file: join(folder, files()[0] ?? '') }]);
  });
});
