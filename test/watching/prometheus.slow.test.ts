import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { startVodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { takePort, findFreePort } from '../support/servers/loopback.ts';
import { listQueries, readCases, readRules, RULES } from '../support/watching-files.ts';
import { killAfterTest, startProcess } from '../support/processes/child-process.ts';

vi.setConfig({ testTimeout: 120_000 });

const PROMETHEUS = '/usr/bin/prometheus';

const hasPrometheus = (): boolean => existsSync(PROMETHEUS);

/** A sample of an instant query. */
interface Sample {
  metric: Record<string, string>;
  value: [at: number, value: string];
}

/** Scrapes this server each second until the end of the test. */
async function startPrometheus(scraped: string) {
  const folder = temporaryFolder();
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [resolve(RULES)],
    scrape_configs: [{ job_name: 'vodhouse', static_configs: [{ targets: [new URL(scraped).host] }] }],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
  const address = `127.0.0.1:${await findFreePort()}`;
  const parameters = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  killAfterTest(startProcess(PROMETHEUS, parameters, { cwd: folder, stdio: 'ignore' }));
  const get = async <Data>(path: string): Promise<Data> => {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error ?? status}`);
    return data;
  };
  const query = async (expression: string) =>
    (await get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result;
  await expect.poll(() => query('up == 1').catch(() => [])).toHaveLength(1);
  return { get, query };
}

/**
 * Metrics without a sample here: a load does not compare, and the first backup comes with the next minute.
 */
const UNSEEN = ['vodhouse_target_verified_timestamp_seconds', 'vodhouse_backup_timestamp_seconds'];

const promtool = (...parameters: string[]) => promisify(execFile)('promtool', parameters);

/**
 * The cases as files of promtool, which evaluates all rules at each interval: those of many hours have a longer one, and a
 * file of their own. `ALERTS` has a sample for each alert that fires.
 */
function writeCases(rules: string, cases = readCases()): string[] {
  const intervals = [...new Set(cases.map(({ interval = '1m' }) => interval))];
  return intervals.map((evaluation_interval) => {
    const tests = cases
      .filter(({ interval = '1m' }) => interval === evaluation_interval)
      .map(({ name, series, checks }) => ({
        name,
        interval: evaluation_interval,
        input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
        promql_expr_test: checks.map(({ at, alert, fires }) => ({
          expr: `ALERTS{alertname="${alert}",alertstate="firing"}`,
          eval_time: at,
          exp_samples: fires.map((labels) => ({ labels: formatAlert(alert, labels), value: 1 })),
        })),
      }));
    const path = join(temporaryFolder(), 'cases.yaml');
    writeFileSync(path, stringify({ rule_files: [resolve(rules)], evaluation_interval, tests }));
    return path;
  });
}

function formatAlert(alert: string, labels: Record<string, string>): string {
  const all = { ...labels, alertname: alert, alertstate: 'firing' };
  const pairs = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
  return `ALERTS{${pairs.join(',')}}`;
}

describe.skipIf(!hasPrometheus())('promtool', () => {
  it('accepts the rules, and plays their cases', async () => {
    expect((await promtool('check', 'rules', RULES)).stdout).toContain(`${readRules().length} rules found`);
    expect((await promtool('test', 'rules', ...writeCases(RULES))).stdout).toContain('SUCCESS');
  });

  it('finds the limit that was changed', async () => {
    const changed = join(temporaryFolder(), 'rules.yaml');
    writeFileSync(changed, readFileSync(RULES, 'utf8').replace('(2 * 3600 +', '(3 * 3600 +'));
    const cases = readCases().filter(({ checks }) => checks[0]?.alert === 'VodhouseTargetBehind');
    const failed = await promtool('test', 'rules', ...writeCases(changed, cases)).catch(
      (error: unknown) => error,
    );
    expect((failed as { stderr: string }).stderr).toContain('VodhouseTargetBehind');
  });
});

describe.skipIf(!hasPrometheus() || findPostgres() === null)(
  'Prometheus, with a worker that loads a target',
  () => {
    const server = postgresForTests();

    /** A worker that has made a run, a publication and a load. */
    async function startWorker() {
      const target = await server.createDatabase();
      const service = await startSandbox({ churnPerMinute: 600 });
      const port = await takePort();
      await port.free();
      const cwd = createFolder({
        [CONFIG]: `${configText({ url: service.url, packages: [101, 102], top: "schedule: { full: '0 * * * *' }", limits: 'per_day: 20000' })}
publish: { targets: [{ name: warehouse, postgres: '${target}' }] }
server: { port: ${port.port} }
`,
      });
      const worker = startVodhouse(['start'], { cwd });
      const url = `http://127.0.0.1:${port.port}`;
      const scrape = async () => (await fetch(`${url}/metrics`)).text();
      await expect
        .poll(() => scrape().catch(worker.stderr))
        .toContain('vodhouse_target_loads_total{target="warehouse"');
      await expect.poll(scrape).toMatch(/vodhouse_target_loads_total\{.*\} [1-9]/);
      return { url, scrape };
    }

    it('answers the queries of the dashboard, and evaluates the rules', async () => {
      const worker = await startWorker();
      const prometheus = await startPrometheus(worker.url);
      const queries = listQueries();
      await expect
        .poll(async () => (await prometheus.query('vodhouse_runs_total offset 3s')).length)
        .toBeGreaterThan(0);
      const empty: string[] = [];
      for (const query of queries) if ((await prometheus.query(query)).length === 0) empty.push(query);
      expect(
        empty.filter((query) => !query.includes('== 1') && !UNSEEN.some((name) => query.includes(name))),
      ).toEqual([]);

      type Group = { rules: { name: string; health: string; lastError?: string; state: string }[] };
      const read = async () =>
        (await prometheus.get<{ groups: Group[] }>('rules')).groups.flatMap((each) => each.rules);
      await expect
        .poll(async () => (await read()).filter(({ health }) => health === 'ok').length)
        .toBe(readRules().length);
      const states = Object.fromEntries((await read()).map(({ name, state }) => [name, state]));
      expect([states['VodhouseDown'], states['VodhouseStreamStale']]).toEqual(['inactive', 'inactive']);
    });
  },
);
