import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BIN, run, type Child } from '../../support/processes/child-process.ts';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute, readRows, readValue } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { writeFilled } from '../../support/fixtures/full-warehouse.ts';

const KILLS = 24;

/** A folder with a config and a filled live file. */
async function filledFolder(): Promise<string> {
  const cwd = createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:9' }) });
  await writeFilled(join(cwd, WAREHOUSE));
  return cwd;
}

/** Adds enough rows that a copy takes a while. */
function grow(path: string): void {
  execute(
    path,
    `with recursive n (i) as (select 1000 union all select i + 1 from n where i < 50000)
     insert into video (account, package_id, id, content, first_seen_at, changed_at, change_seq)
     select 'main', 101, i, hex(randomblob(50)), '', '', i from n`,
  );
}

/** Resolves as soon as a restore has begun to swap, or has ended. */
async function marked(path: string, child: Child): Promise<void> {
  while (child.process.exitCode === null && !existsSync(`${path}.restoring`)) await nextTurn();
}

describe('a restore', () => {
  it('as another warehouse, killed at random moments, leaves files that are wholly the old warehouse or the new one', async () => {
    const cwd = await filledFolder();
    const path = join(cwd, WAREHOUSE);
    grow(path);
    execute(
      path,
      `insert into target_load (target, account, outcome, attempted_at, loads, failures, rows, duration_ms)
         values ('lake', 'main', 'loaded', '2026-03-01 12:00:00', 1, 0, 1, 1)`,
    );
    expect((await vodhouse(['backup', 'copy.db'], { cwd })).code).toBe(0);
    const identity = (file: string) =>
      readRows(
        file,
        'select warehouse_id as id, (select count(*) from target_load) as loads from warehouse_state',
      )[0];
    const old = identity(path);
    const startedAt = Date.now();
    expect((await vodhouse(['restore', 'copy.db', '--as-new'], { cwd })).code).toBe(0);
    const totalMs = Date.now() - startedAt;
    for (let kill = 0; kill < KILLS / 2; kill++) {
      for (const name of readdirSync(join(cwd, 'data'))) rmSync(join(cwd, 'data', name));
      copyFileSync(join(cwd, 'copy.db'), path);
      const child = run([BIN, 'restore', 'copy.db', '--as-new'], { cwd });
      const moment = kill % 2 === 0 ? pause((2 * totalMs * kill) / KILLS) : marked(path, child);
      await Promise.race([moment, child.ended]);
      child.process.kill('SIGKILL');
      await child.ended;
      const found = [path, `${path}.restoring`].filter((file) => existsSync(file)).map(identity);
      expect(found.length).toBeGreaterThan(0);
      for (const each of found)
        expect(each).toEqual(
          each?.['id'] === old?.['id'] ? old : { id: expect.any(String) as string, loads: 0 },
        );
    }
    // the last one may have ended before the kill: its file is another warehouse now
    if (!existsSync(path) || identity(path)?.['id'] === old?.['id'])
      expect((await vodhouse(['restore', 'copy.db', '--as-new'], { cwd })).code).toBe(0);
    expect(identity(path)).toMatchObject({ loads: 0 });
  });
});

describe('the accounts of one machine', () => {
  /** A config with accounts of one package each. */
  const configOf = (urls: Readonly<Record<string, string>>) =>
    [
      `warehouse: ${WAREHOUSE}\ntimezone: Asia/Seoul\naccounts:`,
      ...Object.entries(urls).map(
        ([name, url]) =>
          `  - { name: ${name}, video_list: { base_url: ${url}, key: sandbox-key }, packages: [101] }`,
      ),
    ].join('\n');
  const videosOf = (cwd: string) =>
    readRows(join(cwd, WAREHOUSE), 'select account, id, first_seen_at, change_seq from video order by 1, 2');

  it('are split over two by a backup: each keeps its history, and nothing is fetched as new', async () => {
    const [main, second] = [(await startSandbox()).url, (await startSandbox({ seed: 2 })).url];
    const one = createFolder({ [CONFIG]: configOf({ main, second }) });
    const two = createFolder({ [CONFIG]: configOf({ second }) });
    const type = async (cwd: string, ...words: string[]) => {
      const { code, stdout, stderr } = await vodhouse(words, { cwd });
      expect({ words, code, stderr }).toMatchObject({ code: 0 });
      return stdout;
    };
    await type(one, 'sync');
    const all = videosOf(one);
    await type(one, 'backup', 'split.db');
    writeFileSync(join(one, CONFIG), configOf({ main }));
    await type(two, 'restore', join(one, 'split.db'), '--as-new');
    await type(two, 'resume', 'second');
    for (const [cwd, gone] of [
      [one, 'second'],
      [two, 'main'],
    ] as const) {
      await type(cwd, 'sync', '--accept-retirements');
      await type(cwd, 'forget', gone, '--yes');
      expect(videosOf(cwd)).toEqual(all.filter(({ account }) => account !== gone));
    }
    const counts = 'select sum(inserted) from walk where run_id > 1';
    expect([one, two].map((cwd) => readValue(join(cwd, WAREHOUSE), counts))).toEqual([0, 0]);
  });
});
