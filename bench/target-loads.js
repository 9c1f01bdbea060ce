/** What the benches of targets have in common: a published file, its loads, and changes of its videos. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Database } from '../dist/database/sqlite.js';
import { createPublisher } from '../dist/publishing/publisher.js';
import { openLoaders } from '../dist/publishing/targets/loader.js';
import { requestFor } from './publish.js';

/** A loader of the published file of a folder into a target of the config. */
export function openLoader(folder, target) {
  const { file, exclude } = requestFor(folder);
  const config = {
    publish: { file, exclude, targets: [{ name: 'bench', everyMs: 0, ...target }] },
    worker: 'bench',
    accounts: [{ name: 'bench', was: null }],
  };
  return openLoaders(config)[0];
}

/** Loads like a worker, and measures its own event loop. Returns what became of the account. */
export async function load(loader, isVerified = false) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  const results = await loader.load({ isVerified, force: null }, new AbortController().signal);
  const ms = performance.now() - startedAt;
  delay.disable();
  const result = results.find(({ account }) => account === 'bench');
  if (!['loaded', 'unchanged'].includes(result.outcome))
    throw new Error(`${result.outcome}: ${result.error}`);
  return { ...result, ms, stallMs: delay.max / 1e6 };
}

export const publish = (folder) =>
  createPublisher(requestFor(folder)).publish(Date.now(), new AbortController().signal);

/** Edits each hundredth video: its former state goes to the history. */
export function edit(path) {
  const db = new Database(path);
  const { changes } = db
    .prepare(
      `update video set title = title || ' x', changed_at = '2026-03-09 00:00:00',
      change_seq = (select change_seq from warehouse_state) + rowid where id % 100 = 7`,
    )
    .run();
  for (const table of ['warehouse_state set change_seq', 'package set changed_seq'])
    db.prepare(`update ${table} = (select max(change_seq) from video)`).run();
  db.close();
  return changes;
}
