import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../src/database/sqlite.ts';
import { describe, expect, it } from 'vitest';
import { createPublicationNotes } from '../../../src/app/worker-notes.ts';
import { plan } from '../../../src/cli/commands/plan.ts';
import { resume } from '../../../src/cli/commands/resume.ts';
import { runs } from '../../../src/cli/commands/runs.ts';
import { status } from '../../../src/cli/commands/status.ts';
import { upsertPause } from '../../../src/budget/statements/pause.ts';
import { openDatabase } from '../../../src/database/connection.ts';
import { tryLock, type Lock } from '../../../src/database/lock.ts';
import { DAY_MS, toTimestamp } from '../../../src/lib/clock.ts';
import { ConfigError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { PUBLISHED_ID } from '../../../src/publishing/replace-file.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { watchConsole } from '../../support/processes/captured-output.ts';

const NEVER_CALLED = 'http://127.0.0.1:1';

const configWith = (accounts: readonly string[], top = '') =>
  [
    `warehouse: live.db\ntimezone: Asia/Seoul\n${top}\naccounts:`,
    ...accounts.map(
      (name) =>
        `  - name: ${name}\n    video_list: { base_url: '${NEVER_CALLED}', key: sandbox-key, page_size: 500 }\n    packages: [101]`,
    ),
  ].join('\n');

/** A folder with a config and an empty live file, and what `status` ends with and writes there. */
function openStatus(text: string) {
  const folder = createFolder({ 'vodhouse.yaml': text });
  const config = join(folder, 'vodhouse.yaml');
  const db = openDatabase(join(folder, 'live.db'), Date.now());
  const run = async () => {
    const written = watchConsole();
    const code = await status({ config, logLevel: 'error', logFormat: 'text' });
    return { code, text: written.splice(0).join('') };
  };
  return { folder, config, db, run, write: (changed: string) => writeFileSync(config, changed) };
}

/** A published file as another warehouse makes it: of that, status reads only the table `about`. */
function publishFrom(file: string, about: Readonly<Record<string, string>>): void {
  const db = new Database(file);
  db.pragma(`application_id = ${PUBLISHED_ID}`);
  db.exec('create table about (key text primary key, value text)');
  for (const [key, value] of Object.entries({ fingerprint: 'other', today: '2026-03-05', ...about }))
    db.prepare('insert into about values (?, ?)').run(key, value);
  db.close();
}

describe('status of a publication that is refused', () => {
  it('says at once, without a worker, what publish says and what to move away', async () => {
    const { folder, run } = openStatus(configWith(['main'], 'publish: { file: bi.db }'));
    const file = join(folder, 'bi.db');
    publishFrom(file, { warehouse_since: '2026-01-01 00:00:00', published_at: '2026-01-02 00:00:00' });
    const { code, text } = await run();
    expect(code).toBe(3);
    expect(text).toContain(
      `the published file cannot be made: publish.file: ${file} was made from another warehouse, begun 2026-01-01 00:00:00 UTC`,
    );
    expect(text).toContain('this one has not: move it away, or name another file');
    expect(text).toContain('-> then: vodhouse publish');
    expect(text).not.toContain('try it now');
    rmSync(file);
    writeFileSync(file, 'my own notes');
    expect((await run()).text).toMatch(/cannot be made: publish\.file: .*vodhouse did not publish it/);
    rmSync(file);
    expect((await run()).text).not.toContain('cannot be made');
  });

  it('is over where the file was made after the last failure of the worker, not after its first one', async () => {
    const { folder, db, run } = openStatus(configWith(['main'], 'publish: { file: bi.db }'));
    const { created_at: since } = db.$client.prepare('select created_at from warehouse_state').get() as {
      created_at: string;
    };
    const lock = tryLock(join(folder, 'live.db'), 'worker', 'start', Date.now());
    const clock = createVirtualClock('2026-03-05T12:00Z');
    const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
    const note = createPublicationNotes({ lock: lock as Lock, clock, logger });
    note('the disk is full');
    clock.advance(3_600_000);
    note('the disk is full');
    const file = join(folder, 'bi.db');
    const textAt = async (published_at: string) => {
      rmSync(file, { force: true });
      publishFrom(file, { warehouse_since: since, published_at });
      return (await run()).text;
    };
    expect(await textAt('2026-03-05 12:30:00')).toContain('cannot be made, the last one was made at');
    expect(await textAt('2026-03-05 13:00:01')).not.toContain('cannot be made');
    lock?.release();
  });
});

it('names the command that ends a pause, and that command ends it', async () => {
  const { config, db, run } = openStatus(configWith(['main']));
  const [since, until] = [toTimestamp(Date.now()), toTimestamp(Date.now() + DAY_MS)];
  const row = { account: 'main', reason: 'asked to wait', since, until, full_rate_at: until };
  upsertPause(db, { ...row, consecutive_restrictions: 1 });
  const command = `vodhouse resume main --config ${config}`;
  expect((await run()).text).toContain(command);
  const options = { config, logLevel: 'error', logFormat: 'text' } as const;
  await expect(resume(options, 'other')).rejects.toThrow(ConfigError);
  const written = watchConsole();
  expect(await resume(options, 'main')).toBe(0);
  expect(written.splice(0).join('')).toContain(`vodhouse sync --config ${config}`);
  expect((await run()).text).not.toContain(command);
});

it.each([
  ['status', status],
  ['runs', runs],
  ['plan', plan],
])(
  '%s of a live file that is gone, but not its published file, says how to get it back',
  async (_name, call) => {
    const folder = createFolder({ 'vodhouse.yaml': configWith(['main'], 'publish: { file: bi.db }') });
    publishFrom(join(folder, 'bi.db'), { warehouse_since: '2026-01-01 00:00:00' });
    const options = { config: join(folder, 'vodhouse.yaml'), logLevel: 'error', logFormat: 'text' } as const;
    await expect(call(options)).rejects.toMatchObject({
      message: expect.stringContaining('live.db is missing, but') as string,
      hint: expect.stringContaining('put the file back; or vodhouse restore BACKUP') as string,
    });
  },
);
