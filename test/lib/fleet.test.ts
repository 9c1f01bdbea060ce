import { describe, expect, it } from 'vitest';
import { assessFleet, type FleetAccount } from '../../src/lib/fleet.ts';

const HOUR_S = 3_600;
const account = (hours: number): FleetAccount => ({
  ...{ account: 'main', worker: 'eu-1', warehouseId: null, version: null, isHeld: true },
  ...{ leaseUntil: null, renewedAt: null, publishedAt: '2026-03-10 12:00:00' },
  ...{ publishedSecondsAgo: hours * HOUR_S, loadedAt: null, verifiedAt: null },
  ...{ status: 'ok', changeSeq: 7, lastLoad: 'changes', lastRows: 5 },
});

describe('an account of a fleet', () => {
  it.each([
    [26, 0, []],
    [27, 0, ['stale']],
    [27, 24, []],
    [50, 24, []],
    [51, 24, ['stale']],
  ])(
    'whose rows are %i hours old in a target that is loaded every %i hours: %j',
    (hours, every, problems) => {
      const [entry] = assessFleet([account(hours)], { isCron: false, everyMs: every * HOUR_S * 1000 });
      expect(entry?.problems).toEqual(problems);
    },
  );
});
