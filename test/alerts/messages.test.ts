import { describe, expect, it } from 'vitest';
import { openIncidentRows, type IncidentChanges, type OpenIncident } from '../../src/alerts/incident-rows.ts';
import { readValue } from '../support/fixtures/live-file.ts';
import { gap, held, NOON, openTestNotifier, READ_LATER } from '../support/fixtures/open-notifier.ts';
import { createGate } from '../support/servers/scripted-service.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';

const INCIDENT = {
  kind: 'gap',
  account: 'main',
  packageId: null,
  part: 'storage',
  text: '',
  advice: null,
  details: '{}',
  since: NOON,
};
const NO_CHANGES: IncidentChanges = { opened: [], closed: [], updated: [] };

describe('a message', () => {
  it('is sent by one of two processes that check at the same time', async () => {
    const { sql, check, another, webhook, newMessages } = await openTestNotifier();
    const gate = createGate();
    webhook.answer(async () => {
      await gate.opened;
      return 200;
    });
    const other = another();
    sql(gap('2026-03-08'), held(101));
    const checks = Promise.all([check(), other.check()]);
    await expect.poll(() => webhook.calls.length).toBe(2); // one of each event
    gate.open();
    await checks;
    await other.check();
    expect(webhook.calls).toHaveLength(2);
    expect(newMessages().sort()).toEqual(['gap begun', 'held_back begun 101']);
  });

  it('is claimed once, its end after its begin, and again a minute after its process died', async () => {
    const { path, clock } = await openTestNotifier();
    const [one, other] = [openIncidentRows(path), openIncidentRows(path)];
    const claim = (of = one, ms = clock.now()) => of.claim((waiting) => waiting.slice(0, 1), null, ms);
    const format = (rows: ReturnType<typeof claim>) => rows.map(({ id, state }) => `${state} ${id}`);
    const record = (changes: Partial<IncidentChanges>) =>
      one.record(() => ({ ...NO_CHANGES, ...changes }), clock.now());
    record({ opened: [INCIDENT, { ...INCIDENT, kind: 'stale' }] });
    record({ closed: [1] });
    record({ opened: [INCIDENT] });
    const claimed = claim();
    expect([claimed, claim(other), claim()].map(format)).toEqual([['begun 1'], ['begun 2'], []]);
    expect(format(claim(other, clock.now() + 59_000))).toEqual([]);
    expect(format(claim(other, clock.now() + 60_000))).toEqual(['begun 1']);
    const settle = (rows: typeof claimed) => other.settle(rows, null, false, clock.now());
    settle(claimed);
    const over = claim();
    expect(format(over)).toEqual(['over 1']);
    settle(over);
    expect(format(claim())).toEqual(['begun 3']);
    one.close();
    other.close();
  });

  it('is not recorded twice where another process stored it while the check looked', async () => {
    const { path, clock } = await openTestNotifier();
    const [one, other] = [openIncidentRows(path), openIncidentRows(path)];
    const open = (rows: readonly OpenIncident[]) => ({
      ...NO_CHANGES,
      opened: rows.length === 0 ? [INCIDENT] : [],
    });
    let isFirst = true;
    one.record((rows) => {
      if (isFirst) other.record(open, clock.now());
      isFirst = false;
      return open(rows);
    }, clock.now());
    expect(readValue(path, 'select count(*) from incident')).toBe(1);
    one.close();
    other.close();
  });

  it('is kept with its incident until `retention.runs_days` after the end', async () => {
    const { sql, check, checkAfter, path } = await openTestNotifier();
    sql(gap('2026-03-08'), held(101), READ_LATER);
    await check();
    sql('delete from storage_gap;');
    await checkAfter(HOUR_MS);
    const count = () => readValue(path, 'select count(*) from incident');
    await checkAfter(90 * DAY_MS);
    expect(count()).toBe(2);
    await checkAfter(DAY_MS);
    expect(count()).toBe(1);
  });
});
