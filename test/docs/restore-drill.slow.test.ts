import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandboxFolder } from '../support/fixtures/command-folder.ts';
import { listTimes } from '../support/fixtures/lake-site.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { BIN } from '../support/processes/child-process.ts';

const BACKUP = '/mnt/backup/vodhouse/vodhouse-2026-03-01T023000Z.db';
const OPERATIONS = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const DRILL = /^mkdir drill[^`]*/m.exec(OPERATIONS)?.[0] ?? '';

it('the restore drill of docs/operations.md, as printed, publishes the backup and loads no target', async () => {
  const lake = temporaryFolder();
  const top = `publish: { targets: [{ name: lake, every: 0, folder: ${lake} }] }`;
  const { cwd, write, succeed } = await sandboxFolder({ top });
  write('UNUSED=1\n', '.env');
  await succeed('sync');
  await succeed('backup', 'one.db');
  const before = listTimes(lake);
  expect(before).not.toEqual([]);
  expect(DRILL).toContain(BACKUP);
  const script = `vodhouse() { "${process.execPath}" "${BIN}" "$@"; }
${DRILL.replace(BACKUP, join(cwd, 'one.db'))}`;
  const env = { PATH: process.env['PATH'], HOME: cwd };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd, env, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  expect(existsSync(join(cwd, 'drill/published/vodhouse.bi.db'))).toBe(true);
  expect(listTimes(lake)).toEqual(before);
});
