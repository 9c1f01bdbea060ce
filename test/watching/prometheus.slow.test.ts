import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { documentedMetrics } from '../support/documented-metrics.ts';
import { eventually, startVodhouse } from '../support/processes/vodhouse-command.ts';
import { fillVariables, findUnknown } from '../support/promql.ts';
import { readPrometheusText } from '../support/prometheus-text.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';
import { hasPrometheus, startPrometheus } from '../support/servers/prometheus.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { takePort } from '../support/servers/taken-port.ts';
import { CASES, listQueries, readDashboard, readRules, RULES } from '../support/watching-files.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Metrics without a sample here: a load does not compare, and the first backup comes with the next minute. */
const UNSEEN = ['vodhouse_target_verified_timestamp_seconds', 'vodhouse_backup_timestamp_seconds'];

const promtool = (...parameters: string[]) => promisify(execFile)('promtool', parameters);

describe.skipIf(!hasPrometheus())('promtool', () => {
  it('accepts the rules, and plays their cases', async () => {
    expect((await promtool('check', 'rules', RULES)).stdout).toContain(`${readRules().length} rules found`);
    expect((await promtool('test', 'rules', CASES)).stdout).toContain('SUCCESS');
  });

  it('finds the limit that was changed', async () => {
    const folder = temporaryFolder();
    const changed = readFileSync(RULES, 'utf8').replace('(2 * 3600 +', '(3 * 3600 +');
    writeFileSync(join(folder, basename(RULES)), changed);
    copyFileSync(CASES, join(folder, basename(CASES)));
    const failed = await promtool('test', 'rules', join(folder, basename(CASES))).catch(
      (error: unknown) => error,
    );
    expect((failed as { stderr: string }).stderr).toContain('VodhouseTargetBehind');
  });
});

describe.skipIf(!hasPrometheus() || findPostgres() === null)(
  'Prometheus, with a worker that loads a target',
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.remove());

    /** A worker that has made a run, a publication and a load. */
    async function startWorker() {
      const target = await server.createDatabase();
      const service = await startSandbox({ churnPerMinute: 600 });
      const port = await takePort();
      await port.free();
      const cwd = createFolder({
        [CONFIG]:
          `${configText({ url: service.url, packages: [101, 102], top: "schedule: { full: '0 * * * *' }" })}
publish: { targets: [{ name: warehouse, postgres: '${target}' }] }
server: { port: ${port.port} }
`.replace('per_day: null', 'per_day: 20000'),
      });
      const worker = startVodhouse(['start'], { cwd });
      const url = `http://127.0.0.1:${port.port}`;
      const scrape = async () => (await fetch(`${url}/metrics`)).text();
      await eventually(() => scrape().catch(worker.stderr)).toContain(
        'vodhouse_target_loads_total{target="warehouse"',
      );
      await eventually(scrape).toMatch(/vodhouse_target_rows_total\{.*\} [1-9]/);
      return { url, scrape };
    }

    it('reads what the dashboard and the rules ask for, answers their queries, and evaluates the rules', async () => {
      const worker = await startWorker();
      const prometheus = await startPrometheus(worker.url);
      const { samples, types } = readPrometheusText(await worker.scrape());
      const real = new Map(samples.map(({ name, labels }) => [name, Object.keys(labels)]));
      for (const name of UNSEEN)
        if (types.has(name)) real.set(name, [...(documentedMetrics().get(name) ?? [])]);
      const queries = listQueries(readDashboard()).map(fillVariables);
      const rules = readRules().map(({ expr }) => expr);
      expect([...queries, ...rules].flatMap((query) => findUnknown(query, real))).toEqual([]);

      await eventually(
        async () => (await prometheus.query('vodhouse_runs_total offset 3s')).length,
      ).toBeGreaterThan(0);
      const empty: string[] = [];
      for (const query of queries) if ((await prometheus.query(query)).length === 0) empty.push(query);
      expect(
        empty.filter((query) => !query.includes('== 1') && !UNSEEN.some((name) => query.includes(name))),
      ).toEqual([]);

      type Group = { rules: { name: string; health: string; lastError?: string; state: string }[] };
      const read = async () =>
        (await prometheus.get<{ groups: Group[] }>('rules')).groups.flatMap((each) => each.rules);
      await eventually(async () => (await read()).filter(({ health }) => health === 'ok').length).toBe(
        readRules().length,
      );
      const states = Object.fromEntries((await read()).map(({ name, state }) => [name, state]));
      expect([states['VodhouseDown'], states['VodhouseStreamStale']]).toEqual(['inactive', 'inactive']);
    });
  },
);
