/** Who ships an account into a lake: the worker that its last load names, while that gives signs of life. */
import pLimit from 'p-limit';
import { LostLeaseError } from '../load-errors.ts';
import type { AccountClaim, Claim } from '../target.ts';
import { BAD_DOCUMENT, type LoadFacts, type Manifest } from './documents.ts';
import { readHead, rollForward } from './head.ts';
import { describeLakeError } from './lake-errors.ts';
import { isOver, nowText, type Lake } from './lake.ts';
import { toManifestKey, toPointerKey, type LakeOwner } from './layout.ts';
import { commit, type Head } from './pointer.ts';
import { readSign, renewSign } from './sign.ts';
import { readBase } from './restore-manifest.ts';
import { StoreError } from './store.ts';

/** Whose accounts are claimed, and how. */
export interface Claimant {
  warehouseId: string;
  version: string;
  timezone: string;
  /** A person takes the accounts from another warehouse or worker. */
  force: boolean;
}

/** A claim, and the last load of the account. */
export interface ClaimedHead {
  claim: Claim;
  /** Null where the account was not claimed. */
  head: Head | null;
}

const AT_ONCE = 8;

/**
 * Renews the lease of this worker, and claims accounts. Gives a claim for each account; one whose pointer cannot be read takes
 * no lease from the others. Throws StoreError where no account can be read.
 */
export async function claimAll(
  lake: Lake,
  accounts: readonly string[],
  claimant: Claimant,
): Promise<AccountClaim[]> {
  const limit = pLimit(AT_ONCE);
  const heads = await Promise.allSettled(
    accounts.map((account) => limit(() => readHead(lake, { account }))), // the first answer tells the time
  );
  const [first] = heads;
  if (first?.status === 'rejected' && heads.every(({ status }) => status === 'rejected')) throw first.reason;
  const until = await renewSign(lake);
  const claimEach = async (account: string, index: number): Promise<AccountClaim> => {
    try {
      const read = heads[index];
      if (read?.status === 'rejected') throw read.reason;
      const { claim } = await claimAgain(lake, account, read?.value ?? null, until, claimant);
      return claim;
    } catch (error) {
      return { result: 'failed', account, reason: describeLakeError(error, lake.options.place).message };
    }
  };
  return Promise.all(accounts.map((account, index) => limit(() => claimEach(account, index))));
}

/** Looks once more where another worker claimed the account at the same moment: then that one has it. */
async function claimAgain(...[lake, account, head, until, claimant]: Parameters<typeof claimHead>) {
  try {
    return await claimHead(lake, account, head, until, claimant);
  } catch (error) {
    if (!(error instanceof LostLeaseError)) throw error;
    return claimHead(lake, account, await readHead(lake, { account }), until, claimant);
  }
}

/** The same for one account that is loaded now; its lease is renewed only where it is claimed for the first time. */
export async function claimOne(lake: Lake, account: string, claimant: Claimant): Promise<ClaimedHead> {
  const read = claimant.force ? readOrPutBack : readHead;
  return claimHead(lake, account, await read(lake, { account }), null, claimant);
}

/** A pointer that is damaged is deleted: its account then goes on from its newest manifest. For a person who says so. */
async function readOrPutBack(lake: Lake, owner: LakeOwner): Promise<Head | null> {
  try {
    return await readHead(lake, owner);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === BAD_DOCUMENT)) throw error;
    await lake.store.remove([toPointerKey(owner)]);
    return null;
  }
}

/** `leaseUntil` is null where this worker gave no sign yet. */
async function claimHead(
  lake: Lake,
  account: string,
  head: Head | null,
  leaseUntil: string | null,
  claimant: Claimant,
): Promise<ClaimedHead> {
  const { instance } = lake.holder;
  const { force, warehouseId } = claimant;
  const facts = head?.pointer.facts;
  const isMine = facts?.warehouse_id === warehouseId && facts.instance === instance;
  if (head && facts && isMine && !force)
    return { head, claim: toClaim(account, facts.epoch, leaseUntil ?? nowText(lake)) };
  const refusal = head && !force ? await findRefusal(lake, account, head, claimant) : null;
  if (refusal) return { head: null, claim: refusal };
  const until = leaseUntil ?? (await renewSign(lake));
  const newest = await rollForward(lake, { account }, head);
  if (newest !== head) return claimHead(lake, account, newest, until, claimant); // its facts may be others
  const taken = await take(lake, { account }, head, claimant);
  return { head: taken, claim: toClaim(account, taken.pointer.facts.epoch, until) };
}

const toClaim = (account: string, epoch: number, leaseUntil: string): Claim => ({
  ...{ result: 'claimed', account, epoch, leaseUntil },
});

/** Why the account is not to be had; null if it is. */
async function findRefusal(
  lake: Lake,
  account: string,
  { pointer: { facts } }: Head,
  { warehouseId }: Claimant,
): Promise<Claim | null> {
  if (facts.kind === 'removed') return null; // nobody has it
  if (facts.warehouse_id !== warehouseId) {
    const reason = `account ${account} belongs to another warehouse (${facts.warehouse_id}), loaded by ${facts.worker}`;
    return { result: 'refused', account, reason };
  }
  const sign = await readSign(lake, facts.instance);
  if (sign === null || isOver(lake, sign.lease_until)) return null;
  return { result: 'held', account, worker: facts.worker, until: sign.lease_until };
}

/** Writes a load with the same rows, and this worker as its holder: whoever began with the load before it has lost. */
async function take(lake: Lake, owner: LakeOwner, head: Head | null, claimant: Claimant): Promise<Head> {
  const { worker, instance } = lake.holder;
  const { warehouseId, version, timezone } = claimant;
  const before = head?.pointer;
  const isSame = before?.facts.warehouse_id === warehouseId && before.facts.instance === instance;
  const status = toStatus(before, claimant, instance);
  if (head && isSame && before.state.status === status) return head; // forced, and held already
  const manifest = await readBase(lake, owner, head, claimant);
  const facts: LoadFacts = {
    ...manifest.facts,
    ...{ kind: 'claim', rows: 0, warehouse_id: warehouseId, worker, instance, version, timezone },
    epoch: (before?.facts.epoch ?? 0) + (isSame ? 0 : 1),
    loaded_at: nowText(lake),
  };
  const load = (before?.load ?? 0) + 1;
  const superseded = head
    ? [...manifest.superseded, { key: toManifestKey(owner, head.pointer.load), at: lake.store.now() }]
    : [];
  const state = { ...(before?.state ?? manifest.state), status };
  return commit(lake, head, { ...manifest, load, facts, state, superseded });
}

/**
 * Only a person who says `--rebuild` takes the account for whatever this file has, and only for this file: a copy of it that
 * comes later loads everything again, if it is no older state. After a move, only the file that it went to may load it.
 */
function toStatus(
  before: Head['pointer'] | undefined,
  { warehouseId, force }: Claimant,
  instance: string,
): Manifest['state']['status'] {
  if (!before) return null;
  const { facts, state } = before;
  const isOther = facts.warehouse_id !== warehouseId;
  if (force && (isOther || state.status === 'rebuild')) return 'rebuild';
  return state.status === 'rebuild' && facts.instance !== instance ? 'unverified' : state.status;
}
