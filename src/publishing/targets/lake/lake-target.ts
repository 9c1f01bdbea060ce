/** A lake of Parquet files as a target: every load of an account is one manifest, and readers follow one pointer to it. */
import type { Source } from '../source.ts';
import { describeLeftBehind } from '../findings.ts';
import { LostLeaseError } from '../load-errors.ts';
import { listAccountSlices, listVideoTables, listWarehouseSlices, selectOwned } from '../shipped-tables.ts';
import type { Claim, Finding, Holder, Loaded, Target } from '../target.ts';
import { claimOne, type Claimant } from './claim.ts';
import { readHead } from './head.ts';
import { describeLakeError } from './lake-errors.ts';
import { nowText, type Lake } from './lake.ts';
import { listLeftBehind } from './left-behind.ts';
import { writeFileLists } from './file-lists.ts';
import { loadAccount } from './load-account.ts';
import { PointerMovedError } from './load-owner.ts';
import { assertTimezone, loadWarehouse } from './load-warehouse.ts';
import { openStore } from './open-store.ts';
import { changeState, type Head } from './pointer.ts';
import { removeAccount, sweepRemoved } from './remove-account.ts';
import type { LakeOptions } from './store.ts';
import { countRows, findDifferences } from './verify.ts';
import { toLateLoad, within } from './with-store.ts';

/** How often a load begins again that met another one. */
const TRIES = 3;

/** Connects when needed. The caller closes it. */
export function createLakeTarget(
  options: LakeOptions,
  source: Source,
  holder: Holder,
): Target & { close: () => Promise<void> } {
  const lake: Lake = { options, holder, store: openStore(options.place) };
  const { warehouseId, version, timezone } = source;
  const claimant: Claimant = { warehouseId, version, timezone, force: false };
  /** A store may hang in the middle of any request: whatever takes longer than `load_timeout` is given up. */
  const timed =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      within(options.loadTimeoutMs, work(...given), () => toLateLoad(options.loadTimeoutMs));
  /** The last load of each account, as this process read or wrote it. */
  const heads = new Map<string, Head>();
  /** Accounts that were loaded, and whether any file is new. */
  const loaded = new Set<string>();
  let hasNewFiles = false;
  /** Accounts that this warehouse ever loaded here. */
  let known: readonly string[] = [];
  let shared: Promise<Head | null> | null = null;

  /** What belongs to all warehouses. Before the first account: a warehouse of another time zone writes nothing. */
  function readSharedHead(): Promise<Head | null> {
    shared ??= readHead(lake, 'all').then((head) => {
      assertTimezone(lake, source, head);
      return head;
    });
    return shared;
  }

  async function getHead(account: string): Promise<Head> {
    const head = heads.get(account) ?? (await readHead(lake, { account }));
    if (head === null) throw new LostLeaseError(`account ${account} is not claimed any more`);
    return head;
  }

  /** Begins again where another process of this worker was faster, or was killed before it moved the pointer. */
  async function load(account: string, epoch: number, isRebuild: boolean, tries = 1): Promise<Loaded> {
    const head = await getHead(account);
    const { facts } = head.pointer;
    if (facts.epoch !== epoch || facts.instance !== holder.instance)
      throw new LostLeaseError(`account ${account} is loaded by ${facts.worker} now`);
    try {
      const done = await loadAccount(lake, { source, account, head, isRebuild });
      heads.set(account, done.head);
      loaded.add(account);
      hasNewFiles ||= done.kind !== 'nothing' || done.isSwept;
      return { kind: done.kind, rows: done.rows, findings: done.findings };
    } catch (error) {
      heads.delete(account);
      const mayGoOn = error instanceof PointerMovedError || error instanceof LostLeaseError;
      if (!mayGoOn || tries === TRIES) throw error;
      return load(account, epoch, isRebuild, tries + 1);
    }
  }

  async function verify(owner: { account: string } | { warehouse: string }): Promise<string[] | null> {
    const isAccount = 'account' in owner;
    const head = await readHead(lake, owner);
    const timeline = isAccount ? source.timeline : source.timeline;
    if (
      head?.pointer.facts.timeline !== timeline ||
      head.pointer.facts.shape !== source.shape ||
      head.pointer.state.published_at !== source.publishedAt
    )
      return null;
    const tables = isAccount
      ? [...listVideoTables(source.marts), ...listAccountSlices(source.marts).map(({ table }) => table)]
      : listWarehouseSlices(source.marts).map(({ table }) => table);
    const rowsOf = isAccount ? { account: owner.account } : { warehouseId };
    const counts = countRows(
      source,
      tables.map((table) => ({ name: table.name, ...selectOwned(table, rowsOf) })),
    );
    const found = await findDifferences(lake, owner, head, counts);
    const state =
      found.length === 0 ? { verified_at: nowText(lake), status: null } : ({ status: 'unverified' } as const);
    await changeState(lake, head, state);
    if (isAccount) heads.delete(owner.account);
    return found;
  }

  const target: Target = {
    async claim(account: string, force: boolean): Promise<Claim> {
      await readSharedHead();
      const { claim, head } = await claimOne(lake, account, { ...claimant, force });
      if (head) heads.set(account, head);
      return claim;
    },
    async claimLeft(account: string): Promise<Claim | null> {
      const head = await readHead(lake, { account });
      const facts = head?.pointer.facts;
      if (facts && (facts.warehouse_id !== warehouseId || facts.instance !== holder.instance)) return null;
      const claimed = await claimOne(lake, account, claimant);
      if (claimed.head) heads.set(account, claimed.head);
      return claimed.claim;
    },
    load: (account, epoch, isRebuild) => load(account, epoch, isRebuild),
    async loadWarehouse(isRebuild: boolean): Promise<Loaded> {
      const done = await loadWarehouse(lake, source, await readSharedHead(), [...loaded], isRebuild);
      known = done.head.pointer.facts.accounts;
      hasNewFiles ||= done.kind !== 'nothing' || done.isSwept;
      if (hasNewFiles) await writeFileLists(lake);
      return { kind: done.kind, rows: done.rows, findings: [] };
    },
    async remove(account: string): Promise<Loaded | null> {
      const removed = await removeAccount(lake, source, account);
      hasNewFiles ||= removed !== null;
      return removed;
    },
    verify: (account) => verify({ account }),
    verifyWarehouse: async () => {
      const own = await verify({ warehouse: warehouseId });
      const found = own && [...own, ...(await findSharedDifferences())];
      if (found?.length === 0) await writeFileLists(lake); // a worker may have been killed before it did
      return found;
    },
    async listFindings(accounts: readonly string[]): Promise<Finding[]> {
      for (const account of known) if (!accounts.includes(account)) await sweepRemoved(lake, source, account);
      const left = await listLeftBehind(lake, source, known, accounts);
      return left.map((account) => describeLeftBehind(account, options.name));
    },
    describe: (error) => describeLakeError(error, options.place),
  };

  /** Of the days and the dictionary, which all warehouses share. */
  async function findSharedDifferences(): Promise<string[]> {
    const head = await readHead(lake, 'all');
    return head === null ? [] : findDifferences(lake, 'all', head, new Map());
  }

  return {
    ...target,
    claim: timed(target.claim),
    claimLeft: timed(target.claimLeft),
    load: timed(target.load),
    loadWarehouse: timed(target.loadWarehouse),
    remove: timed(target.remove),
    verify: timed(target.verify),
    verifyWarehouse: timed(target.verifyWarehouse),
    listFindings: timed(target.listFindings),
    close: () => lake.store.close(),
  };
}
