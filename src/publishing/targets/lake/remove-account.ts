/** Removes an account that the warehouse no longer has (renamed or forgotten), because a person said so. */
import type { Source } from '../source.ts';
import type { Finding, Loaded } from '../target.ts';
import { readHead, rollForward } from './head.ts';
import { nowText, type Lake } from './lake.ts';
import { readBase } from './restore-manifest.ts';
import { commit, listFiles } from './pointer.ts';
import { isSweepDue, listSuperseded, sweepSuperseded } from './superseded.ts';

const OF_DAYS = ['storage_daily', 'storage_corrections'];

/**
 * Readers no longer find the account; its files are deleted after `keep`, those of its booked days stay. Null if this
 * warehouse did not load it. Throws StoreError.
 */
export async function removeAccount(lake: Lake, source: Source, account: string): Promise<Loaded | null> {
  const owner = { account };
  const head = await rollForward(lake, owner, await readHead(lake, owner));
  if (head?.pointer.facts.warehouse_id !== source.warehouseId) return null;
  const { worker, instance } = lake.holder;
  const base = await readBase(lake, owner, head, source);
  const files = base.tables.filter(({ table }) => OF_DAYS.includes(table)).flatMap(listFiles);
  const aside = { timeline: base.facts.timeline, load: base.load, set_aside_at: nowText(lake), files };
  const set_aside = files.length === 0 ? base.set_aside : [...base.set_aside, aside];
  const rows = base.tables.flatMap(listFiles).reduce((sum, each) => sum + each.rows, 0);
  const { warehouseId: warehouse_id, version, timezone } = source;
  await commit(lake, head, {
    ...base,
    ...{ load: head.pointer.load + 1, tables: [], booked: {}, set_aside },
    facts: {
      ...{ ...base.facts, kind: 'removed', warehouse_id, worker, instance, version, timezone, rows },
      ...{ loaded_at: nowText(lake), timeline: null, shape: null, anchors: [], change_seq: 0 },
      epoch: base.facts.epoch + 1,
    },
    state: { published_at: null, last_run: 0, verified_at: null, status: null },
    superseded: await sweepSuperseded(lake, listSuperseded(lake, base, [], set_aside)),
  });
  const message = `the files with the booked days of account ${account} stay, set aside in manifest/account=${account}/`;
  const findings: Finding[] = files.length === 0 ? [] : [{ kind: 'history_set_aside', message }];
  return { kind: 'reload', rows, findings };
}

/**
 * Deletes the files of an account that was removed more than `keep` ago: no load of it comes any more. Throws StoreError.
 */
export async function sweepRemoved(lake: Lake, source: Source, account: string): Promise<void> {
  const owner = { account };
  const head = await readHead(lake, owner);
  const facts = head?.pointer.facts;
  if (!head || facts?.kind !== 'removed' || facts.warehouse_id !== source.warehouseId) return;
  if (!isSweepDue(lake, head)) return;
  const base = await readBase(lake, owner, head, source);
  const superseded = await sweepSuperseded(lake, base.superseded);
  await commit(lake, head, { ...base, load: head.pointer.load + 1, superseded });
}
