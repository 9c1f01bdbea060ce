import { describe, expect, it } from 'vitest';
import { mayLoad } from '../../src/app/load-targets.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';

describe('a load of a target', () => {
  it('waits for `every` after the last one, unless that failed, or the clock was set back', async () => {
    const { warehouse, clock } = await openTestWarehouse();
    const target = createTargetConfig('postgres://127.0.0.1/db', { everyMs: HOUR_MS });
    const loader = { target, load: () => Promise.resolve([]) };
    const may = (now: number) => mayLoad(loader, warehouse.listTargetLoads(), now);
    const now = clock.now();
    expect(may(now)).toBe(true);
    warehouse.recordLoadReport('other', loadReport(), now);
    expect(may(now)).toBe(true);
    warehouse.recordLoadReport(target.name, loadReport(), now);
    expect(may(now + HOUR_MS - 1_000)).toBe(false);
    expect(may(now + HOUR_MS)).toBe(true);
    expect(may(now - HOUR_MS)).toBe(true);
    warehouse.recordLoadReport(target.name, failedLoad({ account: 'second' }), now);
    expect(may(now)).toBe(true);
  });
});
