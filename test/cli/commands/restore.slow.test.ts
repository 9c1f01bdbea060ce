import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { commandFolder, NOWHERE } from '../../support/fixtures/command-folder.ts';
import { writeFilled } from '../../support/fixtures/full-warehouse.ts';
import { readRows } from '../../support/fixtures/live-file.ts';
import { BIN, run, type Child } from '../../support/processes/child-process.ts';

const KILLS = 12;

/** A filled live file that takes a while to copy, and its backup. */
async function backedUpFolder() {
  const folder = commandFolder({ url: NOWHERE });
  await writeFilled(folder.live);
  folder.execute(
    `with recursive n (i) as (select 1000 union all select i + 1 from n where i < 50000)
     insert into video (account, package_id, id, content, first_seen_at, changed_at, change_seq)
       select 'main', 101, i, hex(randomblob(50)), '', '', i from n;
     insert into target_load (target, account, outcome, attempted_at, loads, failures, rows, duration_ms)
       values ('lake', 'main', 'loaded', '2026-03-01 12:00:00', 1, 0, 1, 1)`,
  );
  await folder.succeed('backup', 'copy.db');
  return folder;
}

/** Resolves as soon as a restore has begun to swap, or has ended. */
async function marked(path: string, child: Child): Promise<void> {
  while (child.process.exitCode === null && !existsSync(`${path}.restoring`)) await nextTurn();
}

/** Which warehouse a file is, and how many loads it knows. */
const identify = (file: string) =>
  readRows(
    file,
    'select warehouse_id as id, (select count(*) from target_load) as loads from warehouse_state',
  )[0];

it('a restore as another warehouse, killed at random moments, leaves files that are wholly the old warehouse or the new one', async () => {
  const { cwd, live, succeed } = await backedUpFolder();
  const old = identify(live);
  const startedAt = Date.now();
  await succeed('restore', 'copy.db', '--as-new');
  const totalMs = Date.now() - startedAt;
  for (let kill = 0; kill < KILLS; kill++) {
    for (const name of readdirSync(join(cwd, 'data'))) rmSync(join(cwd, 'data', name));
    copyFileSync(join(cwd, 'copy.db'), live);
    const child = run([BIN, 'restore', 'copy.db', '--as-new'], { cwd });
    const moment = kill % 2 === 0 ? pause((totalMs * kill) / KILLS) : marked(live, child);
    await Promise.race([moment, child.ended]);
    child.process.kill('SIGKILL');
    await child.ended;
    const found = [live, `${live}.restoring`].filter((file) => existsSync(file)).map(identify);
    expect(found.length).toBeGreaterThan(0);
    const other = { id: expect.any(String) as string, loads: 0 };
    for (const each of found) expect(each).toEqual(each?.['id'] === old?.['id'] ? old : other);
  }
  // the last one may have ended before the kill: its file is another warehouse now
  if (!existsSync(live) || identify(live)?.['id'] === old?.['id'])
    await succeed('restore', 'copy.db', '--as-new');
  expect(identify(live)).toMatchObject({ loads: 0 });
});
