import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder, readFolder } from '../support/fixtures/folder-of-files.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('the command line', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { code, stdout } = await vodhouse(['--version'], { cwd: temporaryFolder() });
    expect([code, stdout]).toEqual([0, `${version}\n`]);
  });

  it('prints its commands', async () => {
    const { code, stdout, stderr } = await vodhouse(['--help'], { cwd: temporaryFolder() });
    expect([code, stderr]).toEqual([0, '']);
    const groups = stdout.split(/^(?=\w+:$)/m).map((part) => ({
      heading: part.split('\n')[0],
      commands: [...part.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name),
    }));
    expect(groups.slice(-4)).toEqual([
      {
        heading: 'Daily:',
        commands: ['init', 'check', 'plan', 'sync', 'start', 'status', 'runs', 'publish'],
      },
      { heading: 'Data:', commands: ['query', 'export', 'backup', 'restore'] },
      { heading: 'Repair:', commands: ['resume', 'acknowledge', 'correct', 'forget'] },
      { heading: 'Try:', commands: ['demo', 'sandbox'] },
    ]);
  });

  it('prints the options of a command', async () => {
    const { code, stdout } = await vodhouse(['sync', '--help'], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(stdout.indexOf('--quick')).toBeLessThan(stdout.indexOf('--log-level'));
    for (const option of [
      '--config',
      '--package',
      '--videos',
      '--storage',
      '--accept-removals',
      '--wait',
      '--json',
    ]) {
      expect(stdout).toContain(option);
    }
  });

  it.each([
    [[], 'Usage: vodhouse'],
    [['sing'], "unknown command 'sing'"],
    [['sync', '--fast'], "unknown option '--fast'"],
    [['sync', 'everything'], 'too many arguments'],
    [['sync', '--package', 'abc'], 'expected the ID of a package'],
    [['sync', '--package', '1,2,x'], 'expected the ID of a package'],
    [['sync', '--package', '1,main/x'], 'expected the ID of a package, or ACCOUNT/ID'],
    [['sync', '--accept-removals', '0'], 'expected a whole number from 1 up'],
    [['sync', '--accept-removals', 'all'], 'expected a whole number from 1 up'],
    [['sync', '--accept-removals=-1'], 'expected a whole number from 1 up'],
    [['sync', '--log-level', 'loud'], 'Allowed choices are debug'],
    [['sandbox', '--port', '-1'], 'expected a whole number from 0 up'],
    [['sing'], '(vodhouse --help lists the commands)'],
    [['export', '--fast'], '(vodhouse export --help lists its options)'],
    [['backup'], '(vodhouse backup --help lists its options)'],
    [['sandbox', '--port', '70000'], '70000'],
    [['sync'], 'vodhouse.yaml does not exist'],
    [['status', '--config', 'other.yaml'], 'other.yaml does not exist'],
  ])('ends with 2 for wrong usage: %j', async (parameters, message) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await vodhouse(parameters, { cwd });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(readFolder(cwd).size).toBe(0);
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
    const cwd = createFolder({ [CONFIG]: bad });
    for (const command of ['sync', 'start']) {
      const { code, stdout, stderr } = await vodhouse([command], { cwd });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('vodhouse.yaml has 5 problems');
      const mistakes = [
        'timezone: "Asia/Soul"',
        '${VODHOUSE_KEY} is not set',
        'page_sizes',
        'packages[1]',
        'per_day',
      ];
      for (const mistake of mistakes) expect(stderr).toContain(mistake);
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
    expect(stdout).toContain('wrote vodhouse.yaml, vodhouse.schema.json and .env\n');
    const modes = ['.env', 'data'].map((name) => statSync(join(cwd, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
    expect(stdout).toContain('npx vodhouse check\n');
    const config = loadConfig(join(cwd, CONFIG), { VODHOUSE_KEY: 'k' });
    expect(config.accounts.map(({ name }) => name)).toEqual(['main']);
    expect(JSON.parse(readFileSync(join(cwd, 'vodhouse.schema.json'), 'utf8'))).toMatchObject({
      type: 'object',
    });
  });

  it('leads to a config that works with a key in .env', async () => {
    const cwd = createFolder({ '.env': 'VODHOUSE_KEY=k\n' });
    const { stdout } = await vodhouse(['init'], { cwd });
    expect(stdout).toContain('wrote vodhouse.yaml and vodhouse.schema.json\n');
    const { code, stderr } = await vodhouse(['status'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('there is no warehouse');
  });

  it('overwrites neither file', async () => {
    for (const name of [CONFIG, 'vodhouse.schema.json']) {
      const cwd = createFolder({ [name]: 'mine' });
      const { code, stderr } = await vodhouse(['init'], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain(`${name} already exists; nothing was written`);
      expect([...readFolder(cwd)].map(([file, content]) => [file, content.toString()])).toEqual([
        [name, 'mine'],
      ]);
    }
  });

  it('writes to the given path', async () => {
    const cwd = createFolder({ 'other/note': '' });
    const { code, stdout } = await vodhouse(['init', '--config', 'other/vodhouse.yaml'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('npx vodhouse check --config other/vodhouse.yaml');
    expect(existsSync(join(cwd, 'other/vodhouse.schema.json'))).toBe(true);
    expect((await vodhouse(['init', '--config', 'new/sub/vodhouse.yaml'], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, 'new/sub/vodhouse.schema.json'))).toBe(true);
    const blocked = await vodhouse(['init', '--config', 'other/note/vodhouse.yaml'], { cwd });
    expect(blocked.code).toBe(2);
    expect(blocked.stderr).toContain('cannot write other/note/vodhouse.yaml');
  });
});
