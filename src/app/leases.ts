/**
 * The leases of this worker's accounts in its targets. An account that another worker holds is not synced here: its limits
 * would be spent twice, unless the target is not `exclusive`. A target that cannot be reached refuses nobody.
 */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Config, TargetConfig } from '../config/config.ts';
import { fromTimestamp, MINUTE_MS, type Clock } from '../lib/clock.ts';
import { errorLine, LockedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { createMarts } from '../publishing/marts/marts.ts';
import { createHolder } from '../publishing/targets/holder.ts';
import { claimAccounts, describeTargetError, releaseAccounts } from '../publishing/targets/target-kinds.ts';
import { describeRefusal, reportRefusal, type Claim, type Refusal } from '../publishing/targets/target.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** A lease is for ten minutes by the clock of the target: two renewals may fail. */
const RENEW_MS = 2 * MINUTE_MS;
/** A run waits this long for a target that does not answer, at most once in `RENEW_MS`. */
const DEADLINE_MS = 5_000;
/** A worker that ends waits this long: service managers wait five seconds and more. */
const RELEASE_DEADLINE_MS = 2_000;
/** And this long for a renewal under way. */
const LAST_RENEWAL_MS = 1_000;

/** An account that is not synced here. */
export interface Hold {
  target: string;
  account: string;
  /** One sentence. */
  reason: string;
  /** By when the lease ends, in milliseconds since 1970; null: not without a person. */
  untilMs: number | null;
}

interface LeasesOptions {
  config: Config;
  warehouse: Warehouse;
  clock: Clock;
  logger: Logger;
}

/** Starts without leases; the first `findHeld` claims them. */
export function createLeases(options: LeasesOptions) {
  const { config, clock } = options;
  const { targets } = config.publish ?? { targets: [] };
  const holds = new Map<string, Hold>();
  /** Targets that could not be reached the last time. */
  const unreached = new Set<string>();
  let renewedAt: number | null = null;
  let renewing: Promise<void> | null = null;

  const renewAll = async () => {
    await Promise.all(targets.map((target) => renew(target, options, holds, unreached)));
    renewedAt = clock.now();
  };
  const renewIfDue = (): Promise<void> => {
    const isDue = renewedAt === null || Math.abs(clock.now() - renewedAt) >= RENEW_MS;
    if (targets.length > 0 && isDue) renewing ??= renewAll().finally(() => (renewing = null));
    return renewing ?? Promise.resolve();
  };

  return {
    /** Renews the leases if that is due. Never rejects. */
    renewIfDue,
    /** A load found that another worker has taken an account: claims are made again before the next run. */
    distrust: () => void (renewedAt = null),
    /** The accounts that are not synced here, by their names; what is known so far if the signal aborts. */
    async findHeld(signal?: AbortSignal): Promise<Map<string, Hold>> {
      await (signal ? untilAborted(renewIfDue(), signal) : renewIfDue());
      const now = clock.now();
      const current = [...holds.values()].filter(({ untilMs }) => untilMs === null || untilMs > now);
      return new Map(current.map((hold) => [hold.account, hold]));
    },
    /** Gives the accounts back, so that another worker need not wait. For a worker that ends; never rejects. */
    async release(): Promise<void> {
      if (targets.length === 0) return;
      await Promise.race([renewing, sleepFor(LAST_RENEWAL_MS, undefined, { ref: false })]); // it would claim them again
      const holder = createHolder(config);
      const facts = { warehouseId: options.warehouse.getWarehouseId() };
      const released = targets.map((target) =>
        releaseAccounts({ target, holder, deadlineMs: RELEASE_DEADLINE_MS }, facts),
      );
      await Promise.allSettled(released); // one that is not released ends by itself
    },
  };
}

/** Waits for the work, or for the signal. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (onAbort = resolve));
  signal.addEventListener('abort', onAbort);
  await Promise.race([work, aborted]);
  signal.removeEventListener('abort', onAbort);
}

const ALL_THE_SAME = '`exclusive: false` in the target syncs them all the same';
const HELD_HINT = `a worker that was killed frees its accounts ten minutes later; one that is stopped, at once. ${ALL_THE_SAME}`;
const REFUSED_HINT = `if this warehouse is the right one: vodhouse publish --target NAME --rebuild ACCOUNT takes the account, and keeps its rows until it was synced here. ${ALL_THE_SAME}`;

/** Throws LockedError where every account of the config is held: there is nothing to sync. */
export function assertNotAllHeld(
  { accounts }: Pick<Config, 'accounts'>,
  held: ReadonlyMap<string, Hold>,
): void {
  const holds = accounts.flatMap(({ name }) => held.get(name) ?? []);
  if (holds.length < accounts.length) return;
  const reasons = holds.map(({ reason }) => reason).join('; ');
  const isRefused = holds.some(({ untilMs }) => untilMs === null);
  throw new LockedError(holds.length === 1 ? reasons : `every account is held: ${reasons}`, {
    hint: isRefused ? REFUSED_HINT : HELD_HINT,
  });
}

/** Claims the accounts in one target, and notes which ones others hold. */
async function renew(
  target: TargetConfig,
  { config, warehouse, clock, logger }: LeasesOptions,
  holds: Map<string, Hold>,
  unreached: Set<string>,
): Promise<void> {
  const { timezone, durationUnit, accounts, publish } = config;
  const names = accounts.map(({ name }) => name);
  try {
    const request = { target, holder: createHolder(config), deadlineMs: DEADLINE_MS };
    const marts = createMarts({ durationUnit, exclude: publish?.exclude ?? [] });
    const facts = { warehouseId: warehouse.getWarehouseId(), timezone, marts };
    const claims = await claimAccounts(request, facts, names);
    for (const each of claims) {
      const failure = each.result === 'failed' ? each.reason : null;
      noteReached(unreached, { target: target.name, account: each.account }, failure, logger);
      if (each.result !== 'failed' && target.exclusive)
        noteClaim(each, target.name, holds, { warehouse, clock, logger }); // else what others hold is synced all the same
    }
    noteReached(unreached, { target: target.name }, null, logger);
  } catch (error) {
    const { message } = await describeTargetError(error, target);
    noteReached(unreached, { target: target.name }, message, logger);
  }
}

/** Logs that a target, or one account of it, cannot be reached: once, until it is. `failure` is null where it was. */
function noteReached(
  unreached: Set<string>,
  { target, account }: { target: string; account?: string },
  failure: string | null,
  logger: Logger,
): void {
  const key = account === undefined ? target : `${target}/${account}`;
  if (failure === null) return void unreached.delete(key);
  const level = unreached.has(key) ? 'debug' : 'warn';
  unreached.add(key);
  const what =
    account === undefined
      ? 'accounts cannot be claimed, and are'
      : `account ${account} cannot be claimed, and is`;
  logger[level](
    { event: 'target_not_reached', target, account: account ?? null, error: failure },
    `target ${target}: ${what} synced all the same: ${errorLine(failure)}`,
  );
}

function noteClaim(
  claim: Claim,
  target: string,
  holds: Map<string, Hold>,
  { warehouse, clock, logger }: Omit<LeasesOptions, 'config'>,
): void {
  const { account } = claim;
  const key = `${target}/${account}`;
  const isNew = !holds.has(key);
  if (claim.result === 'claimed') {
    if (holds.delete(key))
      logger.info(
        { event: 'target_account_claimed', target, account },
        `target ${target}: account ${account} is free: it is synced here again`,
      );
    return;
  }
  const hold = toHold(claim, target, clock);
  holds.set(key, hold);
  if (!isNew) return;
  const { reason } = hold;
  const message = `target ${target}: ${reason}; it is not synced here`;
  logger.warn({ event: 'target_account_not_synced', target, account, reason }, message);
  warehouse.recordLoadReport(target, reportRefusal(claim), clock.now()); // so `status` says who has it
}

function toHold(claim: Refusal, target: string, clock: Clock): Hold {
  const untilMs = claim.result === 'held' ? toLocalTime(claim.until, clock) : null;
  return { target, account: claim.account, reason: describeRefusal(claim), untilMs };
}

/** The clock of this machine may differ from the target's: at least until the next renewal. */
function toLocalTime(until: string, clock: Clock): number {
  return Math.max(fromTimestamp(until), clock.now() + RENEW_MS + DEADLINE_MS);
}
