/**
 * The cost of the budget for a request: admission into a ledger that holds a full day, and settlement. `node
 * bench/budget.js FILE`.
 */
import { openWarehouse } from '../dist/warehouse/warehouse.js';

const [file] = process.argv.slice(2);
/** At this rate the day stays just below its limit, and no request waits. */
const STEP_MS = 4_400;
const DAY = 20_000;
const MEASURED = 2_000;

let now = Date.parse('2026-03-01T00:00:00Z');
const clock = { now: () => now, sleep: () => Promise.reject(new Error('nobody should wait')) };
const warehouse = openWarehouse(file, clock);
const limits = { perSecond: 5, perMinute: 120, perDay: DAY, maxWaitMs: 0 };
const budget = warehouse.createBudget('bench', limits);
const request = { purpose: 'page', packageId: 1, page: 1, runId: 1, deadlineMs: 30_000 };

const costs = [];
for (let count = 0; count < DAY + MEASURED; count++) {
  const startedAt = process.hrtime.bigint();
  const admission = await budget.admit(request);
  admission.answered({ status: 200, bytes: 1_000_000, sent: true });
  if (count >= DAY) costs.push(Number(process.hrtime.bigint() - startedAt) / 1000);
  now += STEP_MS;
}
warehouse.close();
costs.sort((one, other) => one - other);
const mean = costs.reduce((sum, each) => sum + each, 0) / costs.length;
process.send(
  { medianUs: costs[costs.length >> 1], p99Us: costs[Math.floor(costs.length * 0.99)], meanUs: mean },
  () => process.exit(),
);
