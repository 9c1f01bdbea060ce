import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { liveFileWith, packageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';

/** A folder with a config, and the published file of two videos. */
async function folderWithFile(publish = 'publish: { file: bi.db }'): Promise<string> {
  const cwd = createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:1', top: publish }) });
  const { file } = await published(liveFileWith(packageRow(101), videoRow(1), videoRow(2)));
  renameSync(file, join(cwd, 'bi.db'));
  return cwd;
}

/** So many rows that a pipe cannot hold them. */
const MANY =
  "with recursive n(x) as (select 1 union all select x + 1 from n where x < 300000) select x, 'text' from n";

describe('vodhouse query', () => {
  it('prints a table, CSV or JSON of the published file', async () => {
    const cwd = await folderWithFile();
    const sql = 'select video_id, title from videos';
    expect(await vodhouse(['query', sql], { cwd })).toMatchObject({
      code: 0,
      stdout: 'video_id  title\n       1  Video 1\n       2  Video 2\n(2 rows)\n',
      stderr: '',
    });
    expect((await vodhouse(['query', '--csv', sql], { cwd })).stdout).toBe(
      'video_id,title\n1,Video 1\n2,Video 2\n',
    );
    const { stdout } = await vodhouse(['query', '--json', sql], { cwd });
    expect(JSON.parse(stdout)).toHaveProperty('rows', [
      { video_id: 1, title: 'Video 1' },
      { video_id: 2, title: 'Video 2' },
    ]);
  });

  it('ends with 2 for wrong SQL, and with 1 where there is no published file, or another file', async () => {
    const cwd = await folderWithFile();
    const ends = async (...parameters: string[]) => {
      const { code, stdout, stderr } = await vodhouse(['query', ...parameters], { cwd });
      expect(stdout).toBe('');
      return [code, stderr.split('\n')[0]];
    };
    expect(await ends('selec')).toEqual([2, 'vodhouse: SQLite: near "selec": syntax error']);
    expect(await ends('--csv', '--json', 'select 1')).toEqual([
      2,
      expect.stringContaining('cannot be used with'),
    ]);
    expect(await ends()).toEqual([2, expect.stringContaining('missing required argument')]);
    writeFileSync(join(cwd, 'text.db'), 'no database, but a text that is longer than a header\n'.repeat(20));
    expect(await ends('--file', 'text.db', 'select 1')).toEqual([
      1,
      expect.stringContaining('cannot be read'),
    ]);
    renameSync(join(cwd, 'bi.db'), join(cwd, 'away.db'));
    expect(await ends('select 1')).toEqual([1, expect.stringContaining('there is no published file at')]);
    const without = await folderWithFile('');
    expect(await vodhouse(['query', 'select 1'], { cwd: without })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('publishes nothing') as unknown,
    });
  });

  it('reads the SQL from stdin, and writes as fast as its reader takes it, also to one that ends early', async () => {
    const cwd = await folderWithFile();
    const start = (limit: string) => {
      const command = `'${process.execPath}' '${resolve('bin/vodhouse.js')}' query --csv - | ${limit}`;
      const child = spawn('bash', ['-c', `set -o pipefail; ${command}`], { cwd });
      child.stdin.end(MANY);
      return child;
    };
    for (const [limit, expected] of [
      ['(sleep 0.2; wc -l)', '300001\n'],
      ['head -n 1', "x,'text'\n"],
    ] as const) {
      const child = start(limit);
      let stdout = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(stdout).toBe(expected);
    }
  });
});
