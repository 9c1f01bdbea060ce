import { describe, expect, it } from 'vitest';
import { loadTarget } from '../../src/app/load-targets.ts';
import { InterruptedError, WarehouseError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { LoadReport } from '../../src/publishing/targets/load-report.ts';
import type { TargetLoader } from '../../src/publishing/loader.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { ACCOUNT } from '../support/fixtures/package-walker.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { listTargetLoads } from '../../src/warehouse/statements/target-loads.ts';

type Line = Record<string, unknown>;

/** Loads once for each list of results, or error. Gives the lines of the log, and what the live file has. */
async function load(...outcomes: (LoadReport[] | Error)[]) {
  const { warehouse, clock } = await openTestWarehouse();
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  const logger = createLogger({ level: 'info', format: 'json', secrets: [], write });
  const loads: LoadReport[][] = [];
  for (const outcome of outcomes) {
    const loader: TargetLoader = {
      target: createTargetConfig('postgres://127.0.0.1/db'),
      load: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)),
    };
    const { signal } = new AbortController();
    loads.push(await loadTarget(loader, { warehouse, clock, logger }, signal));
  }
  return { lines, loads, rows: listTargetLoads(warehouse.db) };
}

const result = (more: Partial<LoadReport> = {}): LoadReport => loadReport(more);
const failed = (account: string): LoadReport => failedLoad({ account });
describe('a load of a target', () => {
  it('is recorded and logged for each account', async () => {
    const { rows, lines } = await load([result({ differences: [] }), result({ account: 'other' })]);
    expect(
      rows.map(({ target, account, outcome, rows: count }) => [target, account, outcome, count]),
    ).toEqual([
      ['warehouse', 'main', 'loaded', 10],
      ['warehouse', 'other', 'loaded', 10],
    ]);
    expect(lines.map(({ event, account }) => [event, account])).toEqual([
      ['target_loaded', 'main'],
      ['target_loaded', 'other'],
    ]);
    expect(lines[0]).toMatchObject({ target: 'warehouse', rows: 10, change_seq: 7, duration_ms: 500 });
  });

  it('says nothing of an account of which the target has everything', async () => {
    expect((await load([result({ outcome: 'unchanged' })])).lines).toEqual([]);
  });

  it('says once why all accounts failed', async () => {
    const { lines, rows } = await load([failed('a'), failed('b'), failed('c')]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ event: 'target_load_failed', account: null, code: '42501' });
    expect(lines[0]?.msg).toContain('FAILED: permission denied for schema vodhouse; -> grant create');
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  });

  it('names the one account that failed, one that is refused, and what differs', async () => {
    const refused = result({ account: 'b', outcome: 'refused', error: 'account b is elsewhere' });
    const differs = result({ account: 'c', outcome: 'unchanged', differences: ['title is x'] });
    const { lines } = await load([failed('a'), refused, differs]);
    expect(lines.map(({ event, account }) => [event, account])).toEqual([
      ['target_load_failed', 'a'],
      ['target_account_refused', 'b'],
      ['target_loaded', 'c'],
    ]);
  });

  it('is a failure of each account where it cannot begin', async () => {
    const { loads, lines, rows } = await load(
      new WarehouseError('there is no file', { hint: 'publish one' }),
    );
    expect(loads[0]).toMatchObject([{ account: ACCOUNT, outcome: 'failed', error: 'there is no file' }]);
    expect(lines[0]).toMatchObject({ event: 'target_load_failed', hint: 'publish one' });
    expect(rows).toMatchObject([{ account: ACCOUNT, outcome: 'failed' }]);
  });

  it('throws if it is stopped', async () => {
    await expect(load(new InterruptedError('stopped'))).rejects.toThrow(InterruptedError);
  });
});
