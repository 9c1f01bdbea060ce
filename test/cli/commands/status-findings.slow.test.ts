import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/database/migrate.ts';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { listBody, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A folder that is synced with its service; these statements run on the live file afterwards. */
async function folderAfter(statements: string, url?: string): Promise<string> {
  const service = url ?? (await startSandbox()).url;
  const cwd = createFolder({ [CONFIG]: configText({ url: service, packages: [101] }) });
  await vodhouse(['sync'], { cwd });
  execute(join(cwd, WAREHOUSE), statements);
  return cwd;
}

async function readStatus(cwd: string) {
  const { code, stdout } = await vodhouse(['status'], { cwd });
  const json = await vodhouse(['status', '--json'], { cwd });
  return { code, stdout, report: JSON.parse(json.stdout) as Record<string, unknown[]> };
}

describe('status where records are in quarantine', () => {
  async function folderWithQuarantine(): Promise<string> {
    const bad = createIds(5).map((id) => videoRecord(id, { duration: `${id} s` }));
    const body = listBody({ records: [...bad, videoRecord(6)] });
    const { url } = await startScriptedService(serveEverything(() => ({ body })));
    return folderAfter("update quarantine set seen_at = datetime('now', '-3 hours')", url);
  }

  it('prints some of them with their reasons, and SQL for all', async () => {
    const cwd = await folderWithQuarantine();
    const { code, stdout, report } = await readStatus(cwd);
    expect(code).toBe(3);
    const lines = stdout.split('\n').slice(1, 7);
    expect(lines[0]).toBe('  - 5 records of main (videos) in quarantine');
    for (const id of [1, 2, 3]) {
      expect(lines[id]).toMatch(
        new RegExp(`^ {6}${id} of package 101: duration: .*"${id} s".* \\(seen at .* UTC\\)$`),
      );
    }
    expect(lines[4]).toBe('      and 2 more');
    const sql = lines[5]?.split('-> ')[1] ?? '';
    expect(readWarehouseRows(cwd, sql).map(({ record_id: id }) => id)).toEqual(['1', '2', '3', '4', '5']);
    expect(report.needs?.[0]).toBe('5 records of main (videos) in quarantine');
    expect(report.quarantine).toMatchObject([
      {
        account: 'main',
        stream: 'videos',
        open: 5,
        examples: [1, 2, 3].map((id) => ({ package_id: 101, record_id: String(id) })),
      },
    ]);
  });
});

const createIds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** SQL that records drift of the account `main`, first seen the given time ago. */
function drift(
  stream: string,
  field: string,
  kind: string,
  sample: string | null,
  ago: string,
  acknowledged = 'null',
): string {
  const value = sample === null ? 'null' : `'${sample}'`;
  return `insert into drift (account, stream, field, kind, sample, first_seen_at, last_seen_at, acknowledged_at)
    values ('main', '${stream}', '${field}', '${kind}', ${value},
      datetime('now', '-${ago}'), datetime('now', '-5 minutes'), ${acknowledged});`;
}

describe('status where the service deviates from its documentation', () => {
  it('prints drift with the command that accepts it', async () => {
    const cwd = await folderAfter(
      drift('videos', 'playcount', 'new', '17', '2 days') +
        drift('videos', 'cdate', 'missing', null, '3 hours') +
        drift('storage', 'encoder_size', 'type', '"n/a"', '6 days'),
    );
    const { code, stdout, report } = await readStatus(cwd);
    expect(code).toBe(3);
    expect(stdout.split('\n').slice(1, 6)).toEqual([
      '  - videos of main lack the documented field cdate; and 2 more like this',
      '      videos of main have a field that is not documented: playcount, e.g. 17',
      '      storage days of main have another type in encoder_size: "n/a"',
      '      -> to accept all drift: vodhouse acknowledge',
      '',
    ]);
    expect(report.needs).toHaveLength(1);
    expect(report.drift).toHaveLength(3);
    expect(report.drift?.[1]).toMatchObject({
      account: 'main',
      stream: 'videos',
      field: 'playcount',
      kind: 'new',
      sample: '17',
    });
  });

  it('prints fields and samples truncated and without control characters', async () => {
    const cwd = await folderAfter(
      drift('videos', 'f\u009b31m', 'new', `"${'x'.repeat(200)}"`, '1 hours') +
        drift('videos', 'y'.repeat(300), 'missing', null, '1 hours'),
    );
    const { stdout } = await readStatus(cwd);
    expect(stdout).toContain(`not documented: f\ufffd31m, e.g. "${'x'.repeat(58)}…`);
    expect(stdout).toContain(`lack the documented field ${'y'.repeat(59)}…`);
    expect(stdout).toMatch(/^videos of main +f\ufffd31m +new +"x{28}… /m);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThan(170);
  });
});

describe('status of a file of an older format', () => {
  it.each([
    [
      SCHEMA_VERSION - 1,
      /made by an older vodhouse; this one reads format \d+\n {2}-> any run of vodhouse sync/,
    ],
    [
      21,
      /made by a checkout before the first version; nothing was changed\n {2}-> move it away, with its -wal/,
    ],
  ])('ends with 1, and prints what to do: format %i', async (format, message) => {
    const cwd = await folderAfter(`pragma user_version = ${format}`);
    const { code, stdout, stderr } = await vodhouse(['status'], { cwd });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`vodhouse.db has format ${format}, made by`);
    expect(stderr).toMatch(message);
  });
});
