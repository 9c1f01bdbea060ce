import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BIN, run, type Child } from '../../support/processes/child-process.ts';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute, readRows, readValue } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { writeFilled, readContents } from '../../support/fixtures/full-warehouse.ts';

const KILLS = 24;

/** A folder with a config and a filled live file. */
async function filledFolder(url = 'http://127.0.0.1:9'): Promise<string> {
  const cwd = createFolder({ [CONFIG]: configText({ url }) });
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
  it(`that is killed at ${KILLS} random moments leaves the old file, the new one, or one that is rejected`, async () => {
    const cwd = await filledFolder();
    const path = join(cwd, WAREHOUSE);
    grow(path);
    expect((await vodhouse(['backup', 'copy.db'], { cwd })).code).toBe(0);
    const before = Date.now();
    execute(path, "update package set name = 'old'");
    expect((await vodhouse(['restore', 'copy.db'], { cwd })).code).toBe(0);
    const totalMs = Date.now() - before;
    execute(path, "update package set name = 'old'");
    const seen = new Map<string, number>();
    for (let kill = 0; kill < KILLS; kill++) {
      const child = run([BIN, 'restore', 'copy.db'], { cwd });
      const moment = kill % 2 === 0 ? pause((totalMs * kill) / KILLS) : marked(path, child);
      await Promise.race([moment, child.ended]);
      child.process.kill('SIGKILL');
      await child.ended;
      const state = existsSync(`${path}.restoring`)
        ? 'refused'
        : String(readValue(path, 'select name from package'));
      expect(['refused', 'old', 'null']).toContain(state);
      seen.set(state, (seen.get(state) ?? 0) + 1);
      if (state === 'null') execute(path, "update package set name = 'old'");
    }
    expect(seen.get('old')).toBeGreaterThan(0);
    expect(seen.get('refused')).toBeGreaterThan(0);
    expect((await vodhouse(['restore', 'copy.db'], { cwd })).code).toBe(0);
    const previous = readdirSync(join(cwd, 'data')).filter((name) =>
      /\.before-restore-[\d.-]*\d$/.test(name),
    );
    for (const name of previous)
      expect(readValue(join(cwd, 'data', name), 'select name from package')).toBe('old');
    expect(readContents(path)).toEqual(readContents(join(cwd, 'copy.db')));
  });

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

  it('as another warehouse on a machine without a live file says so, as text and as JSON', async () => {
    const first = await filledFolder();
    const backup = join(first, 'copy.db');
    expect((await vodhouse(['backup', backup], { cwd: first })).code).toBe(0);
    const createMachine = () => createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:9' }) });
    const [one, two] = [createMachine(), createMachine()];
    const idIn = (cwd: string) => readValue(join(cwd, WAREHOUSE), 'select warehouse_id from warehouse_state');
    const text = await vodhouse(['restore', backup, '--as-new'], { cwd: one });
    expect(text.code).toBe(0);
    expect(text.stdout).toContain(String(idIn(one)));
    const json = await vodhouse(['restore', backup, '--as-new', '--json'], { cwd: two });
    expect(JSON.parse(json.stdout)).toMatchObject({ kept: null, new_warehouse_id: idIn(two) });
    expect(new Set([first, one, two].map(idIn)).size).toBe(3);
  });

  it('ends with 75 next to a worker, and succeeds after it; sync continues when the pause is ended', async () => {
    const { url } = await startSandbox();
    const cwd = await filledFolder(url);
    execute(join(cwd, WAREHOUSE), 'delete from video; update package set live_count = 0'); // they are not in the sandbox
    await vodhouse(['backup', 'copy.db'], { cwd });
    const worker = startVodhouse(['start'], { cwd });
    await eventually(worker.stderr).toContain('next full run at');
    const refused = await vodhouse(['restore', 'copy.db'], { cwd });
    expect([refused.code, refused.stdout]).toEqual([75, '']);
    expect(refused.stderr).toContain(`a worker is running: vodhouse start on`);
    expect(refused.stderr).toContain('-> stop it first: a restore needs the warehouse for itself');
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    await vodhouse(['restore', 'copy.db'], { cwd });
    expect(await vodhouse(['sync'], { cwd })).toMatchObject({ code: 3 }); // paused: the requests since the backup are not known
    await vodhouse(['resume', 'main'], { cwd });
    expect(await vodhouse(['sync'], { cwd })).toMatchObject({ code: 0 });
    expect(
      readValue(join(cwd, WAREHOUSE), 'select count(*) from video where removed_at is null'),
    ).toBeGreaterThan(200);
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
