/** Debian's Prometheus, in a temporary folder, on loopback, with the rules of deploy/. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { killAfterTest, startProcess } from '../processes/child-process.ts';
import { RULES } from '../watching-files.ts';
import { findFreePort } from './loopback.ts';

const PROMETHEUS = '/usr/bin/prometheus';

export const hasPrometheus = (): boolean => existsSync(PROMETHEUS);

/** A sample of an instant query. */
export interface Sample {
  metric: Record<string, string>;
  value: [at: number, value: string];
}

/** Scrapes this server each second until the end of the test. */
export async function startPrometheus(scraped: string) {
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
