import { expect, it, onTestFinished } from 'vitest';
import { toIncidents } from '../../src/alerts/incidents.ts';
import { commandsFor } from '../../src/health/commands.ts';
import { readHealthFacts } from '../../src/health/facts.ts';
import { findHeldBack } from '../../src/health/package-problems.ts';
import { openStatusQueries } from '../../src/queries/status-queries.ts';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';

const AT = '2026-03-10 12:00:00';

/** A held-back removal. */
function heldIn(account: string, packageId: number): string {
  return insert('removal_candidate', {
    account,
    package_id: packageId,
    id: 1,
    proved_at: AT,
    walk_id: 7,
    held_back: 1,
    held_at: AT,
    held_by: 7,
    held_reason: 'many',
  });
}

it('the command of an alert names the account where another one has a package with the same id', async () => {
  const path = liveFileWith(heldIn('main', 101), heldIn('main', 102), heldIn('second', 101));
  const one = createTestConfig({ url: 'http://127.0.0.1:1', packages: [101, 102] }, path);
  const second = createTestConfig({ url: 'http://127.0.0.1:1', packages: [101] }, path).accounts;
  const config = {
    ...one,
    accounts: [...one.accounts, ...second.map((each) => ({ ...each, name: 'second' }))],
  };
  const statusQueries = openStatusQueries(path);
  onTestFinished(() => statusQueries.close());
  const facts = readHealthFacts(
    { config, statusQueries, isStale: () => false, publisher: null, formatCommand: commandsFor(config.file) },
    Date.parse('2026-03-10T12:00:00Z'),
    1,
  );
  const incidents = toIncidents(findHeldBack(facts), { noticedAt: AT, isFirstReadOverdue: false });
  expect(incidents.map(({ details }) => details['command'])).toEqual([
    'vodhouse sync --package main/101 --accept-removals 7 --config test',
    'vodhouse sync --package 102 --accept-removals 7 --config test',
    'vodhouse sync --package second/101 --accept-removals 7 --config test',
  ]);
});
