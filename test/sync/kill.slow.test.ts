import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../src/database/sqlite.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BIN, run } from '../support/processes/child-process.ts';
import { CONFIG, configText, WAREHOUSE } from '../support/fixtures/config-file.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const KILLS = 20;
/** Columns with the time of a row's last change. */
const WHEN = ['run_id', 'first_seen_at', 'changed_at', 'change_seq', 'observed_at'];

/** A folder with a config that points at the service. */
function folderFor(url: string): string {
  const folder = temporaryFolder();
  const options = { url, packages: [101, 102], pageSize: 20 };
  const text = configText(options).replace(`{ base_url: ${url} }`, `{ base_url: ${url}, since: 2026-01-01 }`);
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, CONFIG), text);
  return folder;
}

function sync(folder: string) {
  return run([BIN, 'sync', '--log-level', 'error'], { cwd: folder });
}

/** The content of a warehouse, without the times and runs of changes. */
function contents(folder: string) {
  const db = new Database(join(folder, WAREHOUSE), { readonly: true });
  const videos = db.prepare('select * from video order by account, package_id, id').all() as Record<
    string,
    unknown
  >[];
  const days = db.prepare("select * from storage_day where state = 'booked' order by date").all() as Record<
    string,
    unknown
  >[];
  const integrity = db.pragma('integrity_check', { simple: true });
  db.close();
  const timeless = (rows: Record<string, unknown>[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !WHEN.includes(name))));
  return { integrity, videos: timeless(videos), days: timeless(days) };
}

function countResumed(folder: string): number {
  const db = new Database(join(folder, WAREHOUSE), { readonly: true });
  const { resumed } = db.prepare('select count(*) as resumed from walk where resumed').get() as {
    resumed: number;
  };
  db.close();
  return resumed;
}

it(`loses nothing to SIGKILL at ${KILLS} random moments: the next completed run makes it equal to an undisturbed one`, async () => {
  const { url } = await startSandbox({
    packages: [
      { id: 101, videos: 3000 },
      { id: 102, videos: 300 },
    ],
  });
  const undisturbed = folderFor(url);
  const before = Date.now();
  expect((await sync(undisturbed).ended).code).toBe(0);
  const totalMs = Date.now() - before;
  const disturbed = folderFor(url);
  for (let kill = 0; kill < KILLS; kill++) {
    const child = sync(disturbed);
    await Promise.race([pause(Math.random() * totalMs), child.ended]);
    child.process.kill('SIGKILL');
    await child.ended;
  }
  expect((await sync(disturbed).ended).code).toBe(0);
  expect(countResumed(disturbed)).toBeGreaterThan(0);
  const left = contents(disturbed);
  expect(left.integrity).toBe('ok');
  expect(left).toEqual(contents(undisturbed));
}, 240_000);
