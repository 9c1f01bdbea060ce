import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { publishedFact } from '../../src/publishing/about-rows.ts';
import { CONFIG, WAREHOUSE } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { listLoadChains } from '../support/fixtures/load-chains.ts';
import { findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { spawnVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

/** How long the workers are killed and started again. `VODHOUSE_KILL_SECONDS=300 npm run test:slow -- killed-workers` takes five minutes. */
const SECONDS = Number(process.env['VODHOUSE_KILL_SECONDS'] ?? 30);
vi.setConfig({ testTimeout: SECONDS * 1000 + 300_000 });

const WORKERS = ['eu-1', 'eu-2', 'us-1'];
const ACCOUNTS_EACH = 4;
const SETTLED = '2026-01-01';

/** What became of the workers. */
interface Counts {
  started: number;
  killed: number;
  /** Runs of `vodhouse sync` that came to their end, by exit code. */
  ended: Record<string, number>;
}

describe.skipIf(findPostgres() === null)('three workers with twelve accounts and one PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** The folder of a worker; each of its accounts is a service that changes. */
  async function createWorker(worker: string, url: string): Promise<string> {
    const accounts: string[] = [];
    for (let index = 1; index <= ACCOUNTS_EACH; index++) {
      const packages = [101, 102].map((id) => ({ id, videos: 40 }));
      const service = await startSandbox({
        packages,
        churnPerMinute: 120,
        seed: WORKERS.indexOf(worker) * 10 + index,
      });
      accounts.push(`  - name: ${worker}-${index}
    video_list: { base_url: ${service.url}, key: sandbox-key, page_size: 20 }
    storage: { base_url: ${service.url}, settle: 0s, since: ${SETTLED} }
    packages: [101, 102]
    limits: { per_second: null, per_minute: null, per_day: null }`);
    }
    return createFolder({
      [CONFIG]: `warehouse: data/vodhouse.db
worker: ${worker}
timezone: Asia/Seoul
schedule: { full: '* * * * *', quick: '* * * * *' }
publish:
  file: data/bi.db
  targets: [{ name: warehouse, postgres: "${url}", ssl: off }]
accounts:
${accounts.join('\n')}
`,
    });
  }

  /** Starts a worker or a single run, and kills it at a random moment, until the time is over. */
  async function disturb(cwd: string, until: number, longestMs: number, counts: Counts): Promise<void> {
    while (Date.now() < until) {
      const command = Math.random() < 0.5 ? 'start' : 'sync';
      const child = spawnVodhouse([command, '--log-level', 'warn'], { cwd });
      onTestFinished(() => child.kill('SIGKILL'));
      counts.started++;
      await Promise.race([setTimeout(Math.random() * longestMs), child.ended]);
      child.kill('SIGKILL');
      const { code, stderr } = await child.ended;
      if (code === null) counts.killed++;
      else counts.ended[code] = (counts.ended[code] ?? 0) + 1;
      expect(stderr).not.toMatch(/ERROR|Error:|is held by|belongs to another|differ|loaded completely again/);
      expect({ code, stderr }).toMatchObject({
        code: code === null ? null : (expect.toBeOneOf([0, 3]) as number),
      });
    }
  }

  it('are all in it, value by value, after they were killed at random while the accounts changed', async () => {
    const url = await server.createDatabase();
    const folders: string[] = [];
    for (const worker of WORKERS) folders.push(await createWorker(worker, url));
    const counts: Counts = { started: 0, killed: 0, ended: {} };
    const startedAt = Date.now();
    await Promise.all(folders.map((cwd) => vodhouse(['sync'], { cwd })));
    const longestMs = 2 * (Date.now() - startedAt); // a machine may be slow
    const until = Date.now() + SECONDS * 1000;
    await Promise.all(folders.map((cwd) => disturb(cwd, until, longestMs, counts)));
    const loadsBefore = (await listLoadChains(server, url)).reduce((sum, { loads }) => sum + loads, 0);
    for (const cwd of folders) {
      const { code, stderr } = await vodhouse(['sync'], { cwd });
      const [live, file] = [join(cwd, WAREHOUSE), join(cwd, 'data/bi.db')];
      expect({ code, stderr }).toMatchObject({ code: expect.toBeOneOf([0, 3]) as number }); // a list may change meanwhile
      expect(publishedFact(file, 'change_seq')).toBe(
        String(readValue(live, 'select change_seq from warehouse_state')),
      );
      expect(await findTargetDifferences(file, { server, schema: 'vodhouse', url })).toEqual([]);
    }
    const chains = await listLoadChains(server, url);
    const rows = chains.reduce((sum, chain) => sum + chain.rows, 0);
    const loads = chains.reduce((sum, chain) => sum + chain.loads, 0);
    const videos = folders.flatMap((cwd) =>
      readRows(join(cwd, 'data/bi.db'), 'select count(*) as n from videos'),
    );
    process.stdout.write(
      `${SECONDS} s: ${counts.started} starts, ${counts.killed} killed, ended ${JSON.stringify(counts.ended)}; ${loads} loads (${loadsBefore} while they were killed), ${rows} rows, ${videos.map(({ n }) => n).join('+')} videos\n`,
    );
    const names = WORKERS.flatMap((worker) => [1, 2, 3, 4].map((index) => `${worker}-${index}`)).sort();
    expect(chains.map(({ account }) => account)).toEqual(names);
    for (const chain of chains) expect(chain).toMatchObject({ gaps: 0, is_current: true });
    expect(loadsBefore).toBeGreaterThan(12);
    expect(counts.killed).toBeGreaterThan(WORKERS.length);
  });
});
