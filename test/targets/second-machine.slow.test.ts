import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

const CONFIG = 'vodhouse.yaml';
const LIVE = 'data/vodhouse.db';

describe.skipIf(findPostgres() === null)('the accounts of one machine', () => {
  const server = postgresForTests();

  const configOf = (urls: Readonly<Record<string, string>>, target: string) =>
    [
      `timezone: Asia/Seoul\npublish: { targets: [{ name: target, every: 0, ${target} }] }\naccounts:`,
      ...Object.entries(urls).map(
        ([name, url]) =>
          `  - { name: ${name}, video_list: { base_url: ${url}, key: sandbox-key }, packages: [101] }`,
      ),
    ].join('\n');

  async function type(cwd: string, ...words: string[]) {
    const { code, stdout, stderr } = await vodhouse(words, { cwd });
    expect({ words, code, stdout, stderr }).toMatchObject({ code: 0 });
  }

  it('are split over two, in the steps of docs/targets.md', async () => {
    const schema = 'split';
    const target = `postgres: "${server.url}", schema: ${schema}`;
    const differences = async (cwd: string) => {
      const file = join(cwd, 'published/vodhouse.bi.db');
      const found = await findTargetDifferences(file, { server, schema, url: server.url });
      return found.filter((line) => !/^(?:walks|runs)/.test(line)); // of two warehouses
    };
    const [main, second] = [(await startSandbox()).url, (await startSandbox({ seed: 2 })).url];
    const a = createFolder({ [CONFIG]: configOf({ main, second }, target) });
    const b = createFolder({ [CONFIG]: configOf({ second }, target) });
    const count = (cwd: string, sql: string) => readValue(join(cwd, LIVE), sql);
    const listVideos = (cwd: string) =>
      readRows(join(cwd, LIVE), 'select account, id, first_seen_at, change_seq from video order by 1, 2');
    await type(a, 'sync');
    const all = listVideos(a);
    await type(a, 'backup', 'split.db');
    writeFileSync(join(a, CONFIG), configOf({ main }, target));
    await type(a, 'sync', '--accept-retirements');
    await type(b, 'restore', join(a, 'split.db'), '--as-new');
    const sent = count(b, 'select count(*) from request');
    await type(b, 'publish', '--target', 'target', '--take-over', 'second', '--yes');
    expect(count(b, 'select count(*) from request')).toBe(sent);
    await type(b, 'resume', 'second');
    await type(b, 'sync', '--accept-retirements');
    await type(b, 'forget', 'main', '--yes');
    await type(a, 'forget', 'second', '--yes');
    for (const cwd of [a, b]) await type(cwd, 'publish', '--verify');
    for (const cwd of [a, b]) expect(await differences(cwd)).toEqual([]);
    expect(listVideos(a)).toEqual(all.filter(({ account }) => account === 'main'));
    expect(listVideos(b)).toEqual(all.filter(({ account }) => account === 'second'));
    const added = 'select sum(added) from walk where run_id > 1';
    expect([count(a, added), count(b, added)]).toEqual([0, 0]);
  });
});
