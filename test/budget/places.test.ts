import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBudget, type Limits } from '../../src/budget/budget.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Admission, RequestEntry } from '../../src/budget/request-budget.ts';
import { openLedgerConnection } from '../../src/database/connection.ts';
import { readValue } from '../support/fixtures/live-file.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';

const MOST = 64;
const ENTRY: RequestEntry = { purpose: 'page', packageId: 101, page: 3, runId: 7, deadlineMs: 30_000 };
const ANSWER = { status: 200, bytes: 10, sent: true };
const NONE: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 0 };

/** Budgets of one process. `admitted`: the accounts in the order of their admissions. */
function openBudgets() {
  const { warehouse, clock } = openEmptyWarehouse(toMs('2026-03-01T12:00Z'));
  const admitted: string[] = [];
  const admit = async (account: string, limits = NONE, signal?: AbortSignal): Promise<Admission> => {
    const admission = await warehouse.createBudget(account, limits).admit(ENTRY, signal);
    admitted.push(account);
    return admission;
  };
  const fill = (places: number) => Promise.all(Array.from({ length: places }, () => admit('other')));
  return { admit, fill, admitted, clock };
}

it('no more than 64 requests of all accounts are in flight, and a place is free once one is answered', async () => {
  const { admit, fill, admitted } = openBudgets();
  const [first] = await fill(MOST);
  const waiting = ['a', 'b'].map((account) => admit(account));
  await turn();
  expect(admitted).toHaveLength(MOST);
  first?.answered(ANSWER);
  (await waiting[0])?.answered(ANSWER);
  await waiting[1];
  expect(admitted.slice(MOST)).toEqual(['a', 'b']);
});

it('an account that waits for its budget holds no place', async () => {
  const { admit, fill, admitted, clock } = openBudgets();
  await fill(MOST - 1);
  const limits = { ...NONE, perSecond: 1, maxWaitMs: DAY_MS };
  (await admit('spent', limits)).answered(ANSWER);
  clock.whileAsleep = () => new Promise(() => undefined);
  void admit('spent', limits);
  await turn();
  await admit('other');
  expect(admitted.at(-1)).toBe('other');
});

it('a request that is aborted or parked while it waits leaves its place', async () => {
  const { admit, fill } = openBudgets();
  const [first] = await fill(MOST);
  const stop = new AbortController();
  const stopped = admit('stopped', NONE, stop.signal);
  await turn();
  stop.abort(new Error('stopped by a test'));
  first?.answered(ANSWER);
  await expect(stopped).rejects.toThrow('stopped by a test');
  (await admit('parked')).answered(ANSWER);
  await expect(admit('parked', { ...NONE, perDay: 1 })).rejects.toThrow(/spent/);
  await admit('other');
});

it('the wait for a place does not count as one for the budget', async () => {
  const { admit, fill, clock } = openBudgets();
  const limits = { ...NONE, perMinute: 1, maxWaitMs: 30_000 };
  (await admit('late', limits)).answered(ANSWER);
  const [first] = await fill(MOST);
  const late = admit('late', limits);
  await turn();
  clock.advance(40_000);
  first?.answered(ANSWER);
  await late;
  expect(clock.sleeps.length).toBeGreaterThan(0);
});

describe('the place of an answer', () => {
  const PAUSES = 'select count(*) from pause';

  /** An admission of a budget whose place notes how many pauses are stored when it becomes free. */
  async function admitNoted() {
    const { path, clock } = openEmptyWarehouse(toMs('2026-03-01T12:00Z'));
    const db = openLedgerConnection(path);
    const pauses: unknown[] = [];
    const takePlace = () => Promise.resolve(() => void pauses.push(readValue(path, PAUSES)));
    return { db, pauses, admission: await createBudget(db, 'main', NONE, clock, { takePlace }).admit(ENTRY) };
  }

  it('becomes free after its restriction is stored', async () => {
    const { db, pauses, admission } = await admitNoted();
    admission.answered({ ...ANSWER, status: 429 }, { waitMs: null, reason: 'HTTP 429', served: false });
    expect(pauses).toEqual([1]);
    db.$client.close();
  });

  it('becomes free also where the file cannot be written', async () => {
    const { db, pauses, admission } = await admitNoted();
    db.$client.close();
    expect(() => admission.answered(ANSWER)).toThrow('not open');
    expect(pauses).toEqual([0]);
  });
});
