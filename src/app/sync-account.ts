/** An account as runs use it: its client, and the budget that its requests count in. */
import type { AccountConfig, Config } from '../config/config.ts';
import type { Wait } from '../budget/budget.ts';
import { chooseProxies } from '../lib/http/proxies.ts';
import type { Logger } from '../lib/logger.ts';
import { formatDuration } from '../lib/format.ts';
import { isAccountStream, listStreamsOf } from '../sync/streams.ts';
import { createServiceClient } from '../service/client/client.ts';
import type { SentRequest } from '../service/client/execute.ts';
import { createClockCheck } from '../service/client/clock-check.ts';
import type { SyncAccount } from '../sync/context.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { Environment } from './environment.ts';
import { hasAccount } from '../warehouse/accounts.ts';

/** Opens connections at its first request; its client must be closed. */
export function createSyncAccount(
  config: AccountConfig,
  { proxies }: Config,
  warehouse: Warehouse,
  { clock, logger, progress }: Environment,
): SyncAccount {
  const { name, was, videoList, storage, packages, limits, proxy, ca } = config;
  const clockCheck = createClockCheck(clock);
  // `check` does not rename the account
  const ledgerName = was !== null && hasAccount(warehouse.db, was) ? was : name;
  const { concurrency, restrictedCodes, finalCodes } = limits;
  const codes = { restricted: restrictedCodes, final: finalCodes };
  const connection = { proxies: chooseProxies(proxy, proxies), ca: ca?.certificates ?? null };
  const client = createServiceClient({
    account: { name, videoList, storage, concurrency, codes, ...connection },
    budget: warehouse.createBudget(ledgerName, limits, (wait) => logWait(logger, name, wait)),
    onSent: (sent) => {
      logRequest(logger, name, sent);
      progress.requestSent?.();
    },
    clock,
    onDated: clockCheck.observe,
  });
  return {
    name,
    client,
    clockCheck,
    pageSize: videoList.pageSize,
    packages,
    concurrency,
    streams: listStreamsOf(config).flatMap(({ stream }) => (isAccountStream(stream) ? stream : [])),
    storage,
  };
}

function logWait(logger: Logger, account: string, { reason, waitMs, isLong }: Wait): void {
  const level = isLong ? 'info' : 'debug';
  logger[level]({ event: 'budget_wait', account, reason, wait_ms: waitMs }, `waiting: ${reason}`);
}

function logRequest(logger: Logger, account: string, sent: SentRequest): void {
  const { purpose, runId: run_id, packageId: package_id, page, status, bytes } = sent;
  const target = package_id === null ? account : `${account}/${package_id}`;
  const where = page === null ? target : `${target}, page ${page}`;
  const took = `${status ?? 'no response'} in ${formatDuration(sent.durationMs)}`;
  const facts = { account, run_id, package_id, page, purpose, status, bytes, duration_ms: sent.durationMs };
  logger.debug({ event: 'request_answered', ...facts }, `${where} (${purpose}): ${took}`);
}
