import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { insert, liveFileWith, packageRow } from '../support/fixtures/filled-live-file.ts';
import { configOver, openMetrics } from '../support/fixtures/open-metrics.ts';
import type { Scraped } from '../support/prometheus-text.ts';
import { published } from '../support/fixtures/published-file.ts';

const PAGE = readFileSync('docs/metrics.md', 'utf8');

interface Metric {
  name: string;
  type: string;
  labels: string[];
  means: string;
}

const splitCells = (line: string) => line.split('|').map((cell) => cell.trim());
const namesIn = (cell: string) => (cell.match(/`\w+`/g) ?? []).map((name) => name.slice(1, -1));
const sorted = <Named extends { name: string }>(metrics: readonly Named[]) =>
  [...metrics].sort((one, other) => (one.name < other.name ? -1 : 1));

/** The rows of the table of the page. */
const DOCUMENTED = PAGE.split('\n')
  .filter((line) => line.startsWith('| `vodhouse_'))
  .map((line) => {
    const [, name = '', type = '', labels = '', means = ''] = splitCells(line);
    return { name: namesIn(name)[0] ?? '', type, labels: namesIn(labels), means };
  });

const publishing = (file: string) =>
  `publish: { file: ${file}, targets: [{ name: warehouse, postgres: 'postgres://me@127.0.0.1/db' }] }`;

/** A scrape in which every metric has a sample. */
async function fullScrape(): Promise<Scraped> {
  const live = liveFileWith(
    packageRow(101, { walked_at: '2026-03-10 11:00:00' }),
    insert('backup', {
      file: '/b.db',
      started_at: '2026-03-10 02:30:00',
      finished_at: '2026-03-10 02:30:04',
    }),
    insert('target_load', {
      target: 'warehouse',
      account: 'main',
      outcome: 'loaded',
      attempted_at: '2026-03-10 11:00:00',
      loaded_at: '2026-03-10 11:00:00',
      verified_at: '2026-03-10 11:00:00',
      differences: '[]',
      loads: 1,
      failures: 0,
      rows: 1,
      duration_ms: 1,
    }),
    insert('storage_reading', { account: 'main', observed_at: '2026-03-10 11:00:00', date: '2026-03-10' }),
  );
  const file = join(dirname(live), 'out.db');
  await published(live, { file });
  const { metrics, scrape } = openMetrics(live, configOver(live, `${publishing(file)}\nbackup: {}`));
  metrics.recordPublication({ durationMs: 1 });
  metrics.recordResponse('/', 200, 1);
  return scrape();
}

/** The exported metrics, without the process metrics of prom-client. */
async function exported(): Promise<Metric[]> {
  const { types, help, samples } = await fullScrape();
  return [...types]
    .filter(([name]) => !/^(process|nodejs)_/.test(name))
    .map(([name, type]) => {
      const own = samples.filter((sample) =>
        ['histogram', 'summary'].includes(type) ? sample.name === `${name}_count` : sample.name === name,
      );
      const labels = Object.keys(own[0]?.labels ?? { 'no sample': '' });
      return { name, type, labels, means: help.get(name) ?? '' };
    });
}

describe('docs/metrics.md', () => {
  it('lists exactly the exported metrics: name, type, labels, and the help as the meaning', async () => {
    expect(sorted(DOCUMENTED)).toEqual(sorted(await exported()));
    expect(new Set(DOCUMENTED.map(({ name }) => name)).size).toBe(DOCUMENTED.length);
  });
});
