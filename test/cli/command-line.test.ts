import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { version } from '../../src/lib/package-root.ts';
import { commandFolder, NOWHERE } from '../support/fixtures/command-folder.ts';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder, readFolder } from '../support/fixtures/folder-of-files.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('the command line', () => {
  it('prints its version', async () => {
    const { code, stdout } = await vodhouse(['--version'], { cwd: temporaryFolder() });
    expect([code, stdout]).toEqual([0, `${version()}\n`]);
  });

  it('prints its commands', async () => {
    const { code, stdout, stderr } = await vodhouse(['--help'], { cwd: temporaryFolder() });
    expect([code, stderr]).toEqual([0, '']);
    const groups = stdout.split(/^(?=\w+:$)/m).map((part) => {
      const names = [...part.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
      return [part.split('\n')[0], ...names].join(' ');
    });
    expect(groups.slice(-4)).toEqual([
      'Daily: init check plan sync start status runs publish',
      'Data: query export backup restore',
      'Repair: resume acknowledge correct forget',
      'Try: demo sandbox',
    ]);
  });

  it('prints the options of a command, its own first', async () => {
    const { code, stdout } = await vodhouse(['sync', '--help'], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name);
    const own = ['--package', '--videos', '--storage', '--accept-removals', '--wait', '--json'];
    expect(options.slice(0, -3)).toEqual(expect.arrayContaining(own));
    expect(options.slice(-3)).toEqual(['--config', '--log-level', '--log-format']);
  });

  it.each([
    [[], '', 'Usage: vodhouse'],
    [['sing'], 'sing', 'vodhouse --help'],
    [['sync', '--fast'], '--fast', 'vodhouse sync --help'],
    [['sync', 'everything'], 'sync', 'vodhouse sync --help'],
    [['sync', '--package', '1,main/x'], '1,main/x', 'vodhouse sync --help'],
    [['sync', '--accept-removals', '0'], '0', 'vodhouse sync --help'],
    [['sync', '--accept-removals', 'walk:all'], 'walk:all', 'vodhouse sync --help'],
    [['sync', '--accept-removals=-1'], '-1', 'vodhouse sync --help'],
    [['sync', '--log-level', 'loud'], 'loud', 'vodhouse sync --help'],
    [['sandbox', '--port', '-1'], '-1', 'vodhouse sandbox --help'],
    [['backup'], 'file', 'vodhouse backup --help'],
    [['sandbox', '--port', '70000'], '70000', 'vodhouse sandbox --port 0'],
    [['sync'], 'vodhouse.yaml', 'vodhouse init'],
    [['status', '--config', 'other.yaml'], 'other.yaml', 'vodhouse init --config other.yaml'],
  ])(
    'ends with 2 for wrong usage, and names the value and the next command: %j',
    async (words, value, next) => {
      const cwd = temporaryFolder();
      const { code, stdout, stderr } = await vodhouse(words, { cwd });
      expect([code, stdout]).toEqual([2, '']);
      for (const text of [value, next]) expect(stderr).toContain(text);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(readFolder(cwd).size).toBe(0);
    },
  );

  it('names the config of the command that ran in the next command', async () => {
    const { run, write, text } = commandFolder({ url: NOWHERE });
    write(text, 'my config.yaml');
    const { stderr } = await run('query', 'select 1', '--config', 'my config.yaml');
    expect(stderr).toContain("vodhouse publish --config 'my config.yaml'\n");
  });
});

describe('a config with mistakes', () => {
  it('is rejected with all five of them at once, and nothing is sent or written', async () => {
    const { url, requests } = await startScriptedService(() => 'drop');
    const good = configText({ url, key: '${VODHOUSE_KEY}' });
    const bad = good
      .replace('Asia/Seoul', 'Asia/Soul')
      .replace('page_size: 1000', 'page_sizes: 1000')
      .replace('[101]', '[101, 101]')
      .replace('per_day: null', 'per_day: lots');
    const { cwd, run } = commandFolder(bad);
    const values = ['Asia/Soul', '${VODHOUSE_KEY}', 'page_sizes', 'packages[1]', 'per_day'];
    for (const command of ['sync', 'start']) {
      const { code, stdout, stderr } = await run(command);
      expect([code, stdout]).toEqual([2, '']);
      for (const value of ['5 problems', ...values]) expect(stderr).toContain(value);
    }
    expect(requests).toHaveLength(0);
    expect([...readFolder(cwd).keys()]).toEqual([CONFIG]);
  });
});

describe('init', () => {
  it('writes a config that loads, its schema, and the next steps', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await vodhouse(['init'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toBe(`wrote vodhouse.yaml, vodhouse.schema.json and .env

next:
  1. edit vodhouse.yaml: base_url, packages, timezone
  2. edit .env: VODHOUSE_KEY=<your API key>
  3. npx vodhouse check
  4. npx vodhouse sync
`);
    const modes = ['.env', 'data'].map((name) => statSync(join(cwd, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
    const config = loadConfig(join(cwd, CONFIG), { VODHOUSE_KEY: 'a-key' });
    expect(config.accounts.map(({ name }) => name)).toEqual(['main']);
    const schema = readFileSync(join(cwd, 'vodhouse.schema.json'), 'utf8');
    expect(JSON.parse(schema)).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('leads to a config that works with a key in .env, which it leaves as it is', async () => {
    const cwd = createFolder({ '.env': 'VODHOUSE_KEY=a-key\n' });
    await vodhouse(['init'], { cwd });
    const { code, stderr } = await vodhouse(['status'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('vodhouse sync');
  });

  it.each([CONFIG, 'vodhouse.schema.json'])('does not overwrite %s', async (name) => {
    const cwd = createFolder({ [name]: 'mine' });
    const { code, stderr } = await vodhouse(['init'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(name);
    expect([...readFolder(cwd)]).toEqual([[name, Buffer.from('mine')]]);
  });

  it('writes to the given path', async () => {
    const cwd = createFolder({ 'other/note': '' });
    const initAt = (folder: string) => vodhouse(['init', '--config', `${folder}/vodhouse.yaml`], { cwd });
    for (const folder of ['other', 'new/sub']) {
      const { code, stdout } = await initAt(folder);
      expect(code).toBe(0);
      expect(stdout).toContain(`npx vodhouse check --config ${folder}/vodhouse.yaml`);
      expect(existsSync(join(cwd, folder, 'vodhouse.schema.json'))).toBe(true);
    }
    const blocked = await initAt('other/note');
    expect([blocked.code, blocked.stderr]).toEqual([2, expect.stringContaining('other/note/')]);
  });
});
