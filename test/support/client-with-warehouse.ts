import { onTestFinished } from 'vitest';
import type { ServiceClient } from '../../src/service/client/client.ts';
import type { Limits } from '../../src/warehouse/budget.ts';
import { openWarehouse, type SqliteWarehouse } from '../../src/warehouse/warehouse.ts';
import { clientOf, type Asked, type Wishes } from './client-of.ts';
import { rowsOf } from './live-file.ts';
import { createRecordingClock } from './recording-clock.ts';
import type { Script } from './scripted-service.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A request as the ledger has it; moments in milliseconds after the clock's beginning. */
export interface LedgerRow {
  account: string;
  page: number | null;
  at: number;
  answeredAt: number | null;
  status: number | null;
}

/** The pause of account main, as it is stored; moments in milliseconds after the clock's beginning. */
export interface StoredPause {
  since: number;
  until: number;
  reason: string;
  strikes: number;
}

export interface AskedByLedger extends Omit<Asked, 'budget'> {
  warehouse: SqliteWarehouse;
  ledger: () => LedgerRow[];
  pause: () => StoredPause | null;
  /** A client of a second account, which shares the service, the file and the clock. */
  other: ServiceClient;
}

const NO_LIMITS: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 3_600_000 };

/** A client whose budget is that of a warehouse file. */
export async function clientWithWarehouse(
  script: Script,
  { limits = {}, ...wishes }: Omit<Wishes, 'budget' | 'clock'> & { limits?: Partial<Limits> } = {},
): Promise<AskedByLedger> {
  const clock = createRecordingClock();
  const start = clock.now();
  const path = `${temporaryFolder()}/vodhouse.db`;
  const warehouse = openWarehouse(path, clock);
  onTestFinished(() => warehouse.close());
  const all = { ...NO_LIMITS, ...limits };
  const { service, client } = await clientOf(script, {
    ...wishes,
    clock,
    budget: warehouse.budget('main', all),
  });
  const { client: other } = await clientOf(script, {
    ...wishes,
    clock,
    budget: warehouse.budget('other', all),
    account: { ...wishes.account, name: 'other', videoList: { baseUrl: service.url, key: 'another-key' } },
  });
  return {
    service,
    client,
    clock,
    warehouse,
    ledger: () => readLedger(path, start),
    pause: () => readPause(path, start),
    other,
  };
}

function readLedger(path: string, start: number): LedgerRow[] {
  const since = (ms: unknown) => (ms === null ? null : Number(ms) - start);
  return rowsOf(path, 'select * from request order by request_id').map((row) => ({
    account: String(row.account),
    page: row.page as number | null,
    at: Number(row.at_ms) - start,
    answeredAt: since(row.answered_at_ms),
    status: row.status as number | null,
  }));
}

function readPause(path: string, start: number): StoredPause | null {
  const [row] = rowsOf(path, "select * from pause where account = 'main'");
  if (!row) return null;
  const since = (moment: unknown) => Date.parse(`${String(moment).replace(' ', 'T')}Z`) - start;
  return {
    since: since(row.since),
    until: since(row.until),
    reason: String(row.reason),
    strikes: Number(row.strikes),
  };
}
