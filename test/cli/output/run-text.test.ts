import { expect, it } from 'vitest';
import { runText, type FullRun } from '../../../src/cli/output/run-text.ts';

const RUN: FullRun['run'] = {
  ...{ run_id: 12, trigger: 'manual', mode: 'full', status: 'partial', scope: null, error: null },
  ...{
    started_at: '2026-03-10 12:00:00',
    finished_at: '2026-03-10 12:01:00',
    requests: 0,
    clock_offset_ms: null,
  },
  ...{ resume_at: null, origin_started_at: '2026-03-10 12:00:00' },
  ...{ walks: 0, failed_walks: 0, inserted: 0, updated: 0, removed: 0, restored: 0, quarantined: 0 },
};

it('lists at most 40 packages whose removals are held back, with the command that has all', () => {
  const held_back = Array.from({ length: 1_000 }, (_, index) => ({
    ...{ account: 'main', package_id: index + 1, held_by: index + 1, removals: 3 },
    reasons: ['many' as const],
    command: `accept ${index + 1}`,
  }));
  const details = { run: RUN, walks: [], failures: [], requests: [], held_back, quarantine: [], booked: [] };
  const options = { now: Date.parse('2026-03-10T13:00:00Z'), isKilled: false };
  const text = runText(details, { ...options, formatCommand: (words) => `vodhouse ${words}` });
  expect(text).toContain('accept 40\n  … and 960 more: vodhouse runs 12 --json\n');
  expect(text).not.toContain('accept 41');
});
