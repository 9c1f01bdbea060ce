/** Metrics over a real live file and a real config, with a clock that the test moves. */
import { onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { isStale } from '../../src/schedule/freshness.ts';
import { openOverview } from '../../src/warehouse/overview.ts';
import { createPublisher, type Publisher } from '../../src/warehouse/publishing/publisher.ts';
import { openTallies } from '../../src/warehouse/tallies.ts';
import { createMetrics, type Metrics } from '../../src/web/metrics.ts';
import { load } from '../config/support.ts';
import { readPrometheusText, type Scraped } from './prometheus-text.ts';
import { orderOf } from './published-file.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface OpenMetrics {
  config: Config;
  clock: VirtualClock;
  metrics: Metrics;
  scrape: () => Promise<Scraped>;
}

/** A config of the account `main` with the packages 101 and 102 and storage; and of `other`, which has package 7 alone. */
export function configOver(live: string, lines = ''): Config {
  return load(`warehouse: ${live}
timezone: Asia/Seoul
accounts:
  - name: main
    video_list: { base_url: https://videos.example.test, key: first-secret }
    storage: { base_url: https://reports.example.test, auth: query, key: second-secret, since: 2026-03-01 }
    packages: [101, { id: 102, name: Lectures }]
    limits: { per_second: null, per_minute: 100, per_day: 1000 }
  - name: other
    video_list: { base_url: https://videos.example.test, key: third-secret }
    packages: [7]
schedule: { full: '0 * * * *' }
${lines}`);
}

/** Opens metrics over the live file at noon of 10 March 2026 in UTC. */
export function openMetrics(live: string, config = configOver(live)): OpenMetrics {
  const clock = createVirtualClock('2026-03-10T12:00:00Z');
  const overview = openOverview(live);
  const tallies = openTallies(live, clock.now());
  onTestFinished(() => {
    overview.close();
    tallies.close();
  });
  const metrics = createMetrics({
    config,
    overview,
    tallies,
    publisher: publisherOf(config),
    clock,
    isStale: (at, now) => isStale(config.schedule.full, at, now),
  });
  return { config, clock, metrics, scrape: async () => readPrometheusText(await metrics.text()) };
}

function publisherOf({ warehouse, publish }: Config): Publisher | null {
  return publish && createPublisher(orderOf(warehouse, { ...publish }));
}
