import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { eventually, vodhouse } from '../support/processes/vodhouse-command.ts';

/** How each shell is started without a config of its own, and what a user has in that config. */
const SHELLS = {
  bash: { path: '/bin/bash', start: 'bash --norc -i', source: 'eval "$(vodhouse completion bash)"' },
  zsh: {
    path: '/usr/bin/zsh',
    start: 'zsh -f -i',
    source: 'autoload -U compinit; compinit -D; eval "$(vodhouse completion zsh)"',
  },
  fish: { path: '/usr/bin/fish', start: 'fish --no-config -i', source: 'vodhouse completion fish | source' },
} as const;
type Shell = keyof typeof SHELLS;

/** A target that is not connected to. */
const PUBLISH = 'publish: { targets: [{ name: reports, postgres: postgres://a@127.0.0.1:1/b }] }';
const TAB = '\t';

/** A command `vodhouse` that completes, and otherwise writes its arguments into the file `ran`. */
const COMMAND = `#!/bin/sh
case $1 in
  complete | completion) exec '${process.execPath}' '${resolve('bin/vodhouse.js')}' "$@" ;;
  *) echo "$*" >> ran ;;
esac
`;

/** A shell in a terminal (util-linux: script makes a pty) of a folder with these files. */
function startShell(shell: Shell, files: Readonly<Record<string, string>>) {
  const cwd = createFolder({ ...files, 'bin/vodhouse': COMMAND, ran: '' });
  chmodSync(join(cwd, 'bin/vodhouse'), 0o755);
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH ?? ''}`, HOME: cwd, TERM: 'xterm', PS1: '> ' };
  const { path, start, source } = SHELLS[shell];
  const child = spawn('script', ['-qec', start, '/dev/null'], { cwd, env: { ...env, SHELL: path } });
  child.stdout.resume();
  const type = (text: string) => void child.stdin.write(text);
  const closed = once(child, 'close');
  onTestFinished(async () => {
    type('exit\n'); // it writes its history before it ends
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await closed;
    clearTimeout(late);
  });
  type(`${source}\n`);
  /** Types a line, and gives the arguments that the command got, once it has run. */
  const enter = async (line: string) => {
    const before = readRan(cwd).length;
    type(`${line}\n`);
    await eventually(() => readRan(cwd).length).toBe(before + 1);
    return readRan(cwd).at(-1);
  };
  return { cwd, enter };
}

const readRan = (cwd: string) => readFileSync(join(cwd, 'ran'), 'utf8').split('\n').slice(0, -1);

const isInstalled = (shell: Shell) => existsSync(SHELLS[shell].path);

describe.for(Object.keys(SHELLS) as Shell[])('completion in %s', (shell) => {
  it.skipIf(!isInstalled(shell))(
    `completes commands, options, values and files (needs ${SHELLS[shell].path})`,
    async () => {
      const { cwd, enter } = startShell(shell, { 'other.yaml': '', 'old.db': '' });
      expect(await enter(`vodhouse sy${TAB}`)).toBe('sync');
      expect(await enter(`vodhouse sync --qu${TAB}`)).toBe('sync --quick');
      expect(await enter(`vodhouse sync --log-level de${TAB}`)).toBe('sync --log-level debug');
      expect(await enter(`vodhouse sync --log-level=de${TAB}`)).toBe('sync --log-level=debug');
      expect(await enter(`vodhouse sync --config oth${TAB}--verb${TAB}`)).toBe(
        'sync --config other.yaml --verbose',
      );
      expect(await enter(`vodhouse restore ol${TAB}`)).toBe('restore old.db');
      expect(await enter(`vodhouse sync ot${TAB}`)).toBe('sync ot'); // no file is expected
      expect(await enter(`vodhouse query "select 1; touch bad" --cs${TAB}`)).toBe(
        'query select 1; touch bad --csv',
      );
      writeFileSync(join(cwd, 'ran'), '');
      expect(await enter(`vodhouse plan '$(touch bad)' "$(touch once)" --js${TAB}`)).toMatch(/--json$/);
      expect(readdirSync(cwd)).not.toContain('bad');
    },
  );
});

describe('vodhouse complete', () => {
  it('knows every command and option of the help', async () => {
    const cwd = createFolder({});
    const complete = async (...words: string[]) =>
      (await vodhouse(['complete', '--', ...words], { cwd })).stdout
        .split('\n')
        .map((line) => line.split('\t')[0] ?? '')
        .filter((word) => !/^(?::\d)?$/.test(word));
    const help = (await vodhouse(['--help'], { cwd })).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(15);
    expect((await complete('')).sort()).toEqual(commands.sort());
    const options = (await vodhouse(['publish', '--help'], { cwd })).stdout.matchAll(
      /^ {2}(?:-\w, )?(--[a-z-]+)/gm,
    );
    expect((await complete('publish', '--')).sort()).toEqual([...options].map(([, name]) => name).sort());
  });

  it('knows the accounts, packages and targets of the config, and the published tables', async () => {
    const config = configText({ url: 'http://127.0.0.1:1', packages: [101, 102], top: PUBLISH });
    const second = config.split('accounts:\n')[1]?.replace('name: main', 'name: second') ?? '';
    const cwd = createFolder({
      'other.yaml': config + second.replace('[101, 102]', '[102, { id: 7, name: Talks }]'),
    });
    const complete = async (...words: string[]) => {
      const { code, stdout, stderr } = await vodhouse(['complete', '--', ...words], { cwd });
      expect([code, stderr]).toEqual([0, '']);
      return stdout.split('\n').slice(0, -2);
    };
    const other = ['--config', 'other.yaml'];
    expect(await complete('correct', ...other, '')).toEqual(['main\t', 'second\t']);
    expect(await complete('publish', ...other, '--rebuild', 's')).toEqual(['second\t']);
    expect(await complete('publish', '--config=other.yaml', '--target', '')).toEqual(['reports\t']);
    expect(await complete('sync', ...other, '--package', '')).toEqual([
      ...['101\tmain', 'main/102\tmain', 'second/102\tsecond', '7\tTalks'],
    ]);
    expect(await complete('correct', '')).toEqual([]); // there is no vodhouse.yaml
    const tables = await complete('export', '--table', 'video_');
    expect(tables.map((line) => line.split('\t')[0])).toEqual([
      'video_versions',
      'video_history',
      'video_changes',
      'video_tags',
    ]);
  });

  it('prints a script for three shells, and names them for another one', async () => {
    const cwd = createFolder({});
    for (const shell of Object.keys(SHELLS))
      expect((await vodhouse(['completion', shell], { cwd })).stdout).toContain('vodhouse complete -- ');
    expect(await vodhouse(['completion', 'tcsh'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are bash, zsh, fish') as unknown,
    });
  });
});
