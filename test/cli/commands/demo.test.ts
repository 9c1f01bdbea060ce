import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG } from '../../support/fixtures/config-file.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('demo', () => {
  it('--once fills a file and prints queries that work on it', async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await vodhouse(['demo', '--once', '--file', 'new/demo.db'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('creating the warehouse new/demo.db');
    expect(stdout).toMatch(/^demo\/101 Lectures: +inserted 12,000, .*, 49 requests$/m);
    expect(stdout).toMatch(/today read, (399|400) days booked/); // yesterday is booked an hour after midnight
    expect(stdout + stderr).not.toContain('\u001b');
    const queries = [...stdout.matchAll(/^ {2}npx vodhouse (query --file) (\S+) "(.+)"$/gm)];
    expect(queries.length).toBeGreaterThan(1);
    for (const [, words = '', file = '', sql = ''] of queries) {
      const answer = await vodhouse([...words.split(' '), file, '--json', sql], { cwd });
      expect((JSON.parse(answer.stdout) as { rows: unknown[] }).rows.length).toBeGreaterThan(4);
    }
    expect(readdirSync(cwd)).toEqual(['new']);
  });
});

describe('sandbox', () => {
  it('answers on the port that it names, and prints a config that works', async () => {
    const cwd = temporaryFolder();
    const sandbox = startVodhouse(['sandbox', '--port', '0', '--videos', '40', '--packages', '2'], { cwd });
    await eventually(sandbox.stdout).toContain('packages: [101, 102]\n');
    const [, address = ''] = /curl '(.+)'/.exec(sandbox.stdout()) ?? [];
    const answer = (await (await fetch(address)).json()) as { videoInfoList: Record<string, unknown> };
    expect(answer.videoInfoList).toMatchObject({
      paging: { totalcount: 40, pagesize: 2 },
      errorInfo: { errorCode: 'None' },
    });

    writeFileSync(join(cwd, CONFIG), sandbox.stdout().split('in vodhouse.yaml:\n')[1] ?? '');
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(80);
    sandbox.kill('SIGTERM');
    expect((await sandbox.ended).code).toBe(0);
  });

  it('ends with 2 where its port is in use, and prints the next command', async () => {
    const cwd = temporaryFolder();
    const first = startVodhouse(['sandbox', '--port', '0', '--videos', '1'], { cwd });
    await eventually(first.stdout).toContain('curl');
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(first.stdout()) ?? [];
    const { code, stderr } = await vodhouse(['sandbox', '--port', port], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^vodhouse: cannot listen on port \d+: .*EADDRINUSE/);
    expect(stderr).toContain('-> vodhouse sandbox --port 0');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
