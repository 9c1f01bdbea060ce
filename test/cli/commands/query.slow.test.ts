import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandFolder, NOWHERE } from '../../support/fixtures/command-folder.ts';
import { liveFileWith, packageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { published } from '../../support/fixtures/published-file.ts';

/** A folder with a config, and the published file of two videos. */
async function folderWithFile(top = 'publish: { file: bi.db }') {
  const folder = commandFolder({ url: NOWHERE, top });
  const { file } = await published(liveFileWith(packageRow(101), videoRow(1), videoRow(2)));
  renameSync(file, join(folder.cwd, 'bi.db'));
  return folder;
}

/** So many rows that a pipe cannot hold them. */
const MANY =
  "with recursive n(x) as (select 1 union all select x + 1 from n where x < 300000) select x, 'text' from n";

describe('vodhouse query', () => {
  it('prints a table, CSV or JSON of the published file', async () => {
    const { succeed, json } = await folderWithFile();
    const sql = 'select video_id, title from videos';
    expect(await succeed('query', sql)).toBe(
      'video_id  title\n       1  Video 1\n       2  Video 2\n(2 rows)\n',
    );
    expect(await succeed('query', '--csv', sql)).toBe('video_id,title\n1,Video 1\n2,Video 2\n');
    expect(await json('query', sql)).toHaveProperty('rows', [
      { video_id: 1, title: 'Video 1' },
      { video_id: 2, title: 'Video 2' },
    ]);
  });

  it('ends with 2 for wrong SQL, and with 1 where there is no published file, or another file', async () => {
    const { cwd, run } = await folderWithFile();
    writeFileSync(join(cwd, 'text.db'), 'no database, but a text that is longer than a header\n'.repeat(20));
    const expectEnd = async (words: string[], code: number, message: string, query = run) =>
      expect(await query('query', ...words)).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(message) as string,
      });
    await expectEnd(['selec'], 2, 'vodhouse: SQLite: near "selec": syntax error\n');
    await expectEnd(['--csv', '--json', 'select 1'], 2, 'cannot be used with');
    await expectEnd([], 2, 'missing required argument');
    await expectEnd(['--file', 'text.db', 'select 1'], 1, 'cannot be read');
    renameSync(join(cwd, 'bi.db'), join(cwd, 'away.db'));
    await expectEnd(['select 1'], 1, 'there is no published file at');
    await expectEnd(['select 1'], 2, 'publishes nothing', (await folderWithFile('')).run);
  });

  it.each([
    ['(sleep 0.2; wc -l)', '300001\n'],
    ['head -n 1', "x,'text'\n"],
  ])('reads the SQL from stdin, and writes as fast as its reader takes it: %s', async (reader, expected) => {
    const { cwd } = await folderWithFile();
    const command = `'${process.execPath}' '${resolve('bin/vodhouse.js')}' query --csv - | ${reader}`;
    const child = spawn('bash', ['-c', `set -o pipefail; ${command}`], { cwd });
    child.stdin.end(MANY);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(stdout).toBe(expected);
  });
});
