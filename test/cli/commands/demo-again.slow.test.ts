import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { commandFolder, NOWHERE } from '../../support/fixtures/command-folder.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute, readValue } from '../../support/fixtures/live-file.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('a second demo', () => {
  it.each(['demo.db', 'demo.bi.db', 'demo.yaml'])('rejects a data/%s that is not its own', async (name) => {
    const cwd = createFolder({ [`data/${name}`]: 'mine' });
    const { code, stderr } = await vodhouse(['demo', '--once'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} exists, and vodhouse demo did not`)]);
    expect(readdirSync(join(cwd, 'data'))).toEqual([name]);
    expect(readFileSync(join(cwd, 'data', name), 'utf8')).toBe('mine');
  });

  it('leaves the file of one that runs alone, rejects another warehouse in its place, and makes a missing one again', async () => {
    const { cwd, text, write, start, run, succeed } = commandFolder({ url: NOWHERE });
    const first = start('demo', '--churn', '600');
    await expect.poll(first.stderr).toMatch(/full run \d+ (?:succeeded|partial)/);
    await expect.poll(first.stdout).toContain('vodhouse check');
    const config = readFileSync(join(cwd, 'data/demo.yaml'), 'utf8');
    await succeed('check', '--config', 'data/demo.yaml');
    expect((await run('demo', '--once')).code).toBe(75);
    expect(readFileSync(join(cwd, 'data/demo.yaml'), 'utf8')).toBe(config);
    first.kill('SIGTERM');
    await first.ended;

    const warehouse = join(cwd, 'data/demo.db');
    execute(warehouse, 'update warehouse_state set is_demo = 0'); // such as a backup that was restored there
    const before = readValue(warehouse, 'select count(*) from video');
    const rejected = await run('demo', '--once');
    expect([rejected.code, rejected.stderr]).toEqual([
      2,
      expect.stringContaining('demo.db exists, and vodhouse demo did not'),
    ]);
    expect(readValue(warehouse, 'select count(*) from video')).toBe(before);

    rmSync(warehouse);
    expect(await succeed('demo', '--once')).toMatch(/^published data\/demo\.bi\.db: [\d,]+ videos, /m);
    write(text.replace('data/vodhouse.db', 'data/demo.db'));
    const { code, stderr } = await run('sync');
    expect([code, stderr]).toEqual([2, expect.stringContaining('is the file of vodhouse demo')]);
  });
});
