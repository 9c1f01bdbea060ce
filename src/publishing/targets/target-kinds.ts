/** The kinds of targets: the one place that picks by `kind`. The code of a kind, and its libraries, are loaded when needed. */
import type { TargetConfig } from '../../config/config.ts';
import type { AccountHolder, AccountRows } from './account-holder.ts';
import type { CheckRequest, TargetCheck } from './check-result.ts';
import type { ClaimingWarehouse, ClaimRequest } from './claim-request.ts';
import type { Source } from './source.ts';
import type { AccountClaim, Holder, Target, TargetFailure } from './target.ts';

/** A target, to be closed after its last load. */
export type OpenTarget = Target & { close: () => Promise<void> };

/** Connects when needed. The caller closes it. */
export async function createTarget(
  config: TargetConfig,
  source: Source,
  holder: Holder,
): Promise<OpenTarget> {
  if (config.kind === 'lake') {
    const { createLakeTarget } = await import('./lake/lake-target.ts');
    return createLakeTarget(config, source, holder);
  }
  const { createPostgresTarget } = await import('./postgres/postgres-target.ts');
  return { ...createPostgresTarget(config, source, holder), close: () => Promise.resolve() };
}

/** Claims accounts before they are synced, or renews their leases. Throws what the connection throws. */
export async function claimAccounts(
  { target, ...request }: ClaimRequest,
  warehouse: ClaimingWarehouse,
  accounts: readonly string[],
): Promise<AccountClaim[]> {
  if (target.kind === 'lake') {
    const lake = await import('./lake/leases.ts');
    return lake.claimAccounts({ target, ...request }, warehouse, accounts);
  }
  const postgres = await import('./postgres/leases.ts');
  return postgres.claimAccounts({ target, ...request }, warehouse, accounts);
}

/** Gives all accounts of this worker back, so that another one need not wait. Throws what the connection throws. */
export async function releaseAccounts(
  { target, ...request }: ClaimRequest,
  warehouse: Pick<ClaimingWarehouse, 'warehouseId'>,
): Promise<void> {
  if (target.kind === 'lake') {
    const lake = await import('./lake/leases.ts');
    return lake.release({ target, ...request });
  }
  const postgres = await import('./postgres/leases.ts');
  return postgres.release({ target, ...request }, warehouse);
}

/** Who has each account that was ever claimed. Throws what the connection throws. */
export async function readHolders(target: TargetConfig, deadlineMs: number): Promise<AccountHolder[]> {
  if (target.kind === 'lake') {
    const lake = await import('./lake/errand-process.ts');
    return lake.sendErrand({ kind: 'holders', place: target.place, deadlineMs });
  }
  const [{ withSession }, postgres] = await Promise.all([
    import('./postgres/session.ts'),
    import('./postgres/holders.ts'),
  ]);
  return withSession(target, deadlineMs, postgres.readHolders);
}

/** What a rebuild of the account replaces or deletes; null: a lake does not count. Throws what the connection throws. */
export async function countAccountRows(
  target: TargetConfig,
  account: string,
  deadlineMs: number,
): Promise<AccountRows | null> {
  if (target.kind === 'lake') return null;
  const [{ withSession }, postgres] = await Promise.all([
    import('./postgres/session.ts'),
    import('./postgres/holders.ts'),
  ]);
  return withSession(target, deadlineMs, (session) => postgres.countAccountRows(session, account));
}

/** Looks whether the target can be loaded; changes nothing that a reader sees. Does not throw: a failure is a result. */
export async function checkTarget({ target, ...request }: CheckRequest): Promise<TargetCheck[]> {
  if (target.kind === 'lake') {
    const lake = await import('./lake/check.ts');
    return lake.checkTarget({ target, ...request });
  }
  const postgres = await import('./postgres/check.ts');
  return postgres.checkTarget({ target, ...request });
}

/** What an error of any of these means, in one sentence without secrets. */
export async function describeTargetError(error: unknown, target: TargetConfig): Promise<TargetFailure> {
  if (target.kind === 'lake') {
    const { describeLakeError } = await import('./lake/lake-errors.ts');
    return describeLakeError(error, target.place);
  }
  const postgres = await import('./postgres/target-errors.ts');
  return postgres.describeTargetError(error, target);
}
