/** PostgreSQL as a target: claims, loads and verifies accounts, each on a connection of its own. */
import { setTimeout } from 'node:timers/promises';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { Source } from '../source.ts';
import { describeLeftBehind } from '../findings.ts';
import { RowsDifferError } from '../load-errors.ts';
import type { Claim, Finding, Holder, Loaded, Target } from '../target.ts';
import { recordUnverified, recordVerified } from './account-state.ts';
import { claim } from './claim.ts';
import { claimLeftAccount } from './claim-left.ts';
import { ensureSchema, type EnsuredSchema } from './ensure-schema.ts';
import { listLeftBehind } from './left-behind.ts';
import { loadAccount } from './load.ts';
import { loadWarehouse, mendDictionary } from './load-warehouse.ts';
import { removeAccount } from './remove-account.ts';
import { withSession, type Session } from './session.ts';
import { describeTargetError } from './target-errors.ts';
import { findDifferences, findWarehouseDifferences } from './verify.ts';

/** How often a load is tried again whose locks met those of another session. */
const TRIES = 5;

/** Short statements such as a claim; a shorter `load_timeout` is theirs, too. */
const STATEMENT_DEADLINE_MS = 30_000;

/** The schema is made or extended before the first load. Connects when needed; throws what pg throws. */
export function createPostgresTarget(config: PostgresTargetConfig, source: Source, holder: Holder): Target {
  const { schema, readers, lockTimeoutMs, loadTimeoutMs } = config;
  const { warehouseId } = source;
  const statementMs = Math.min(STATEMENT_DEADLINE_MS, loadTimeoutMs);
  const claimant = { holder, warehouseId };
  let ensured: EnsuredSchema | null = null;

  async function ensure(): Promise<EnsuredSchema> {
    ensured ??= await withSession(
      config,
      Math.min(STATEMENT_DEADLINE_MS + lockTimeoutMs, loadTimeoutMs),
      (session) => ensureSchema(session, { schema, readers, marts: source.marts }, source.timezone),
    );
    return ensured;
  }

  /** Tries again where another session was in the way. */
  async function load(account: string | null, work: (session: Session) => Promise<Loaded>): Promise<Loaded> {
    for (let tries = 1; ; tries++) {
      try {
        return await withSession(config, loadTimeoutMs, work);
      } catch (error) {
        if (error instanceof RowsDifferError && account !== null && tries === 1) {
          await withSession(config, statementMs, (session) => recordUnverified(session, account));
          continue; // it is loaded completely
        }
        if (tries === TRIES || describeTargetError(error, config).retry !== 'at_once') throw error;
        await setTimeout(100 * 2 ** tries * Math.random());
      }
    }
  }

  return {
    async claim(account: string, force: boolean): Promise<Claim> {
      await ensure();
      const claims = await withSession(config, statementMs, (session) =>
        claim(session, [account], { ...claimant, force }),
      );
      return claims[0] ?? { result: 'held', account, worker: 'another worker', until: '' };
    },
    async claimLeft(account: string): Promise<Claim | null> {
      await ensure();
      return withSession(config, statementMs, (session) =>
        claimLeftAccount(session, account, { ...claimant, force: false }),
      );
    },
    async load(account: string, epoch: number, isRebuild: boolean): Promise<Loaded> {
      const { columns } = await ensure();
      const options = { source, account, holder, epoch, targetColumns: columns, isRebuild };
      return load(account, (session) => loadAccount(session, { ...options, lockTimeoutMs, loadTimeoutMs }));
    },
    async loadWarehouse(isRebuild: boolean): Promise<Loaded> {
      const { columns } = await ensure();
      const options = { source, holder, targetColumns: columns, lockTimeoutMs, loadTimeoutMs, isRebuild };
      return load(null, (session) => loadWarehouse(session, options));
    },
    async remove(account: string): Promise<Loaded | null> {
      const { columns } = await ensure();
      const options = { source, account, holder, targetColumns: columns, lockTimeoutMs, loadTimeoutMs };
      return withSession(config, loadTimeoutMs, (session) => removeAccount(session, options));
    },
    async verifyWarehouse(): Promise<string[] | null> {
      const { columns } = await ensure();
      return withSession(config, loadTimeoutMs, async (session) => {
        await mendDictionary(session, { source, lockTimeoutMs, loadTimeoutMs });
        return findWarehouseDifferences(session, source, columns, loadTimeoutMs);
      });
    },
    async verify(account: string): Promise<string[] | null> {
      const { columns } = await ensure();
      return withSession(config, loadTimeoutMs, async (session) => {
        const found = await findDifferences(session, source, account, columns, loadTimeoutMs);
        if (found?.length === 0) await recordVerified(session, account);
        else if (found) await recordUnverified(session, account);
        return found;
      });
    },
    async listFindings(accounts: readonly string[]): Promise<Finding[]> {
      const leftBehind = await withSession(config, statementMs, (session) =>
        listLeftBehind(session, source, accounts),
      );
      return [
        ...describeMissing(ensured),
        ...describeRestored(ensured),
        ...leftBehind.map((account) => describeLeftBehind(account, config.name)),
      ];
    },
    describe: (error: unknown) => describeTargetError(error, config),
  };
}

function describeRestored(ensured: EnsuredSchema | null): Finding[] {
  if (ensured === null || ensured.restored.length === 0) return [];
  const names = ensured.restored.join(', ');
  return [
    {
      kind: 'reloaded',
      message: `the schema lacked ${names}: it has them now, and every account is loaded completely again`,
    },
  ];
}

function describeMissing(ensured: EnsuredSchema | null): Finding[] {
  if (ensured === null || ensured.missing.length === 0) return [];
  const names = ensured.missing.join(', ');
  const message =
    ensured.because === 'not_owner'
      ? `another role owns the tables: these are added once their owner runs vodhouse publish: ${names}`
      : `a long query holds the tables: these columns are added by a later load: ${names}`;
  return [{ kind: 'columns_missing', message }];
}
