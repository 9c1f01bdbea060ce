import { describe, expect, it } from 'vitest';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { openMetrics } from '../support/fixtures/open-metrics.ts';
import { valueIn } from '../support/prometheus-text.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOON = toMs('2026-03-10T12:00:00Z');

const requestRow = (spentUntil: number, account = 'main') =>
  insert('request', { account, at_ms: spentUntil, purpose: 'page', status: 200, spent_until_ms: spentUntil });

const scrape = (...statements: string[]) => openMetrics(liveFileWith(...statements)).scrape();

describe('the counters', () => {
  const RUN = { trigger: 'schedule', started_at: '2026-03-10 11:00:00' };
  const WALK = {
    run_id: 1,
    package_id: 101,
    mode: 'full',
    status: 'succeeded',
    started_at: RUN.started_at,
    origin_started_at: RUN.started_at,
  };

  it('are 0 for expected labels, whatever the file contains', async () => {
    const scraped = await scrape(
      insert('run', { ...RUN, mode: 'full', status: 'succeeded' }),
      insert('walk', { ...WALK, account: 'main', added: 10_000 }),
      requestRow(NOON - 1),
    );
    const counters = scraped.samples.filter(({ name }) => /^vodhouse_\w+_total$/.test(name));
    expect(counters.filter(({ value }) => value !== 0)).toEqual([]);
    const getLabels = (name: string) =>
      counters.filter((each) => each.name === name).map(({ labels }) => Object.values(labels).join(' '));
    expect(getLabels('vodhouse_runs_total')).toHaveLength(10);
    expect(getLabels('vodhouse_records_total')).toHaveLength(12);
    expect(getLabels('vodhouse_requests_total')).toEqual([
      'main 200',
      'main none',
      'other 200',
      'other none',
    ]);
  });

  it('increase by what was finished since the last scrape, for the accounts of the config', async () => {
    const live = liveFileWith();
    const { scrape } = openMetrics(live);
    await scrape();
    const more = (run_id: number) => [
      insert('run', { ...RUN, run_id, mode: 'quick', status: 'parked' }),
      insert('walk', { ...WALK, run_id, account: 'main', removed: 3 }),
      insert('walk', { ...WALK, run_id, account: 'gone', removed: 4 }),
      requestRow(NOON),
      requestRow(NOON),
      requestRow(NOON, 'gone'),
    ];
    for (const times of [1, 2]) {
      execute(live, more(times).join(''));
      const scraped = await scrape();
      expect(valueIn(scraped, 'vodhouse_runs_total', { mode: 'quick', status: 'parked' })).toBe(times);
      expect(valueIn(scraped, 'vodhouse_records_total', { account: 'main', change: 'removed' })).toBe(
        3 * times,
      );
      expect(valueIn(scraped, 'vodhouse_requests_total', { account: 'main', status: '200' })).toBe(2 * times);
      expect(scraped.samples.filter(({ labels }) => labels.account === 'gone')).toEqual([]);
      expect(await scrape()).toMatchObject({
        samples: expect.arrayContaining([
          { name: 'vodhouse_runs_total', labels: { mode: 'quick', status: 'parked' }, value: times },
        ]) as unknown,
      });
    }
  });

  it('lose nothing by a scrape that fails, which gets an error', async () => {
    const live = liveFileWith();
    const { scrape } = openMetrics(live);
    execute(
      live,
      `${insert('run', { ...RUN, mode: 'full', status: 'failed' })} alter table pause rename to away;`,
    );
    await expect(scrape()).rejects.toThrow();
    execute(live, 'alter table away rename to pause');
    expect(valueIn(await scrape(), 'vodhouse_runs_total', { mode: 'full', status: 'failed' })).toBe(1);
  });
});
