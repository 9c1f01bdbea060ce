import { describe, expect, it } from 'vitest';
import { loadTarget } from '../../src/app/load-targets.ts';
import { InterruptedError, WarehouseError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { LoadResult, TargetLoader } from '../../src/publishing/targets/loader.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { ACCOUNT } from '../support/fixtures/package-walker.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';

type Line = Record<string, unknown>;

/** Loads once for each list of results, or error. Gives the lines of the log, and what the live file has. */
async function load(...outcomes: (LoadResult[] | Error)[]) {
  const { warehouse, clock } = await openTestWarehouse();
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  const logger = createLogger({ level: 'info', format: 'json', secrets: [], write });
  const loads: LoadResult[][] = [];
  for (const outcome of outcomes) {
    const loader: TargetLoader = {
      target: createTargetConfig('postgres://127.0.0.1/db'),
      load: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)),
    };
    loads.push(await loadTarget(loader, { warehouse, clock, logger }, {}, new AbortController().signal));
  }
  return { lines, loads, rows: warehouse.listTargetLoads() };
}

const result = (more: Partial<LoadResult> = {}): LoadResult => ({ ...loadReport(), retry: null, ...more });
const failed = (account: string): LoadResult => ({ ...failedLoad({ account }), retry: 'hourly' });
const difference = { kind: 'booked_differs', message: 'the storage of 2026-02-01 differs' } as const;

describe('a load of a target', () => {
  it('is recorded and logged for each account', async () => {
    const { rows, lines } = await load([result({ verified: true }), result({ account: 'other' })]);
    expect(
      rows.map(({ target, account, outcome, rows: count }) => [target, account, outcome, count]),
    ).toEqual([
      ['warehouse', 'main', 'loaded', 10],
      ['warehouse', 'other', 'loaded', 10],
    ]);
    expect(lines.map(({ event, account }) => [event, account])).toEqual([
      ['target_loaded', 'main'],
      ['target_verified', 'main'],
      ['target_loaded', 'other'],
    ]);
    expect(lines[0]).toMatchObject({ target: 'warehouse', rows: 10, change_seq: 7, duration_ms: 500 });
  });

  it('says nothing of an account of which the target has everything', async () => {
    expect((await load([result({ outcome: 'unchanged' })])).lines).toEqual([]);
  });

  it('says why an account was loaded, but not compared', async () => {
    const { lines, rows } = await load([result({ error: 'not compared: no answer', code: 'ETIMEDOUT' })]);
    expect(lines.map(({ event }) => event)).toEqual(['target_loaded', 'target_load_failed']);
    expect(lines[1]).toMatchObject({ account: 'main', error: 'not compared: no answer' });
    expect(rows).toMatchObject([{ outcome: 'loaded', verified: null, failing_since: null }]);
  });

  it('says once why all accounts failed', async () => {
    const { lines, rows } = await load([failed('a'), failed('b'), failed('c')]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ event: 'target_load_failed', account: null, code: '42501' });
    expect(lines[0]?.msg).toContain(
      '3 accounts failed: permission denied for schema vodhouse -> grant create',
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  });

  it('names the one account that failed, and who has another one', async () => {
    const held = { error: 'account b is held by eu-2', heldBy: 'eu-2', heldUntil: '2026-03-01 12:10:00' };
    const { lines } = await load([failed('a'), result({ account: 'b', outcome: 'held', ...held })]);
    expect(lines.map(({ event, account, held_by }) => [event, account, held_by])).toEqual([
      ['target_load_failed', 'a', undefined],
      ['target_account_held', 'b', 'eu-2'],
    ]);
  });

  it('tells a finding once', async () => {
    const found = result({ findings: [difference] });
    const { lines } = await load([found], [found]);
    expect(lines.map(({ event }) => event)).toEqual(['target_loaded', 'target_finding', 'target_loaded']);
  });

  it('is a failure of each account where it cannot begin', async () => {
    const { loads, lines, rows } = await load(
      new WarehouseError('there is no file', { hint: 'publish one' }),
    );
    expect(loads[0]).toMatchObject([{ account: ACCOUNT, outcome: 'failed', error: 'there is no file' }]);
    expect(lines[0]).toMatchObject({ event: 'target_load_failed', hint: 'publish one' });
    expect(lines[0]).not.toHaveProperty('stack');
    expect(rows).toMatchObject([{ account: ACCOUNT, outcome: 'failed' }]);
  });

  it('logs the stack of an unexpected error', async () => {
    expect((await load(new TypeError('no such thing'))).lines[0]).toHaveProperty('stack');
  });

  it('throws if it is stopped', async () => {
    await expect(load(new InterruptedError('stopped'))).rejects.toThrow(InterruptedError);
  });
});
