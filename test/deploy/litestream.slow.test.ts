/** deploy/litestream.yml with the real program, from npm. Needs `npm run build`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandFolder, sandboxFolder } from '../support/fixtures/command-folder.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { readRows, type Row } from '../support/fixtures/live-file.ts';
import { killAfterTest, startProcess } from '../support/processes/child-process.ts';
import { installLitestream } from '../support/processes/other-node.ts';

/** All rows of a file by table, without the tables of Litestream. */
function readTables(file: string): Record<string, Row[]> {
  const names = readRows(
    file,
    String.raw`select name from sqlite_schema where type = 'table' and name not like '\_litestream\_%' escape '\' order by name`,
  );
  return Object.fromEntries(
    names.map(({ name }) => [String(name), readRows(file, `select * from "${String(name)}" order by 1, 2`)]),
  );
}

it('a copy that Litestream made beside a worker equals the live file, and vodhouse restore takes it', async () => {
  const { live, start, succeed, value, sandbox, url } = await sandboxFolder();
  const folder = createFolder({});
  const text = readFileSync('deploy/litestream.yml', 'utf8')
    .replace('/var/lib/vodhouse/vodhouse.db', live)
    .replace('/mnt/backup/vodhouse', folder);
  const files = commandFolder({ url }, { 'litestream.yml': text });
  const program = installLitestream();
  const litestream = (...words: string[]) => killAfterTest(startProcess(program, words, { cwd: files.cwd }));

  const worker = start('start');
  await expect.poll(worker.stderr).toContain('next full run at');
  const replicating = litestream('replicate', '-config', 'litestream.yml');
  for (let run = 1; run <= 5; run++) {
    sandbox.churn(20);
    await succeed('sync', '--accept-removals');
  }
  expect(value('select count(*) from run')).toBe(6);

  let copies = 0;
  await expect
    .poll(
      async () => {
        const copy = join(folder, `copy-${++copies}.db`);
        await litestream('restore', '-config', 'litestream.yml', '-o', copy, live).ended;
        return readTables(copy);
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toEqual(readTables(live));
  replicating.kill('SIGKILL'); // the disk dies
  worker.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);

  await files.succeed('restore', join(folder, `copy-${copies}.db`));
  expect(files.value('select count(*) from video')).toBe(value('select count(*) from video'));
  await files.succeed('resume', 'main');
  await files.succeed('sync');
});
