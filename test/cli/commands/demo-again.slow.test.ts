import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('a second demo', () => {
  it('starts from scratch where its warehouse is missing, and rejects a file that is not its own', async () => {
    const cwd = temporaryFolder();
    await vodhouse(['demo', '--once'], { cwd });
    rmSync(join(cwd, 'data/demo.db'));
    const { code, stdout } = await vodhouse(['demo', '--once'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^published data\/demo\.bi\.db: [\d,]+ videos, /m);
    rmSync(join(cwd, 'data'), { recursive: true });
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data/demo.bi.db'), 'mine');
    expect((await vodhouse(['demo', '--once'], { cwd })).code).toBe(2);
    expect(readdirSync(join(cwd, 'data'))).toEqual(['demo.bi.db']);
    expect(readFileSync(join(cwd, 'data/demo.bi.db'), 'utf8')).toBe('mine');
    writeFileSync(join(cwd, 'data/other.yaml'), 'mine');
    const refused = await vodhouse(['demo', '--once', '--file', 'data/other.db'], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('data/other.yaml exists, and vodhouse demo did not make it');
    expect(readdirSync(join(cwd, 'data'))).toEqual(['demo.bi.db', 'other.yaml']);
  });

  it('leaves the file of a demo that runs alone, and answers its commands', async () => {
    const cwd = temporaryFolder();
    const first = startVodhouse(['demo', '--churn', '600'], { cwd });
    await eventually(first.stderr).toMatch(/full run \d+ (?:succeeded|partial)/);
    await eventually(first.stdout).toContain('vodhouse check');
    const config = readFileSync(join(cwd, 'data/demo.yaml'), 'utf8');
    expect((await vodhouse(['check', '--config', 'data/demo.yaml'], { cwd })).code).toBe(0);
    expect((await vodhouse(['demo', '--once'], { cwd })).code).toBe(75);
    expect(readFileSync(join(cwd, 'data/demo.yaml'), 'utf8')).toBe(config);
    first.kill('SIGTERM');
    await first.ended;
  });
});
