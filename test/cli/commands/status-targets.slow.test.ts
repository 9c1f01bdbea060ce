import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import type { LoadReport } from '../../../src/lib/load-report.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { failedLoad, loadReport } from '../../support/fixtures/load-report.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECRET = 'secret-of-the-target';
const TARGETS = `publish:
  targets:
    - { name: warehouse, postgres: 'postgres://me:${SECRET}@127.0.0.1:1/db' }`;

/** A synced folder, with `vodhouse status` after a load that ended like this. */
async function syncedFolder() {
  const { url } = await startSandbox();
  const plain = configText({ url, packages: [101] });
  const cwd = createFolder({
    [CONFIG]: configText({ url, packages: [101], top: TARGETS }),
    'plain.yaml': plain,
  });
  expect((await vodhouse(['sync', '--config', 'plain.yaml'], { cwd })).code).toBe(0);
  return async (report: LoadReport) => {
    const warehouse = openWarehouse(join(cwd, WAREHOUSE), systemClock);
    warehouse.recordLoadReport('warehouse', report, systemClock.now());
    warehouse.close();
    const text = await vodhouse(['status'], { cwd });
    const json = await vodhouse(['status', '--json'], { cwd });
    expect(json.code).toBe(text.code);
    expect(text.stdout + json.stdout + text.stderr).not.toContain(SECRET);
    const document = JSON.parse(json.stdout) as { needs: string[]; targets: Record<string, unknown>[] };
    return {
      code: text.code,
      line: /^target .*(\n {2}.*)*/m.exec(text.stdout)?.[0],
      ...document,
    };
  };
}

it('status has a line for each target, and ends with 3 where a person is needed', async () => {
  const statusAfter = await syncedFolder();
  const loaded = await statusAfter(loadReport({ changeSeq: 1_000_000, differences: [] }));
  expect([loaded.code, loaded.line, loaded.needs]).toEqual([
    ...[0, 'target warehouse: 1 account, 1 up to date, loaded just now, verified just now', []],
  ]);
  expect(loaded.targets).toMatchObject([
    { target: 'warehouse', up_to_date: true, accounts: [{ account: 'main', outcome: 'loaded' }], runs: null },
  ]);

  const down = await statusAfter(
    failedLoad({ code: 'ECONNREFUSED', error: `no answer to me:${SECRET}`, hint: 'is the server running?' }),
  );
  expect(down.code).toBe(0);
  expect(down.line?.replace(/since .* UTC/, 'since … UTC').split('\n')).toEqual([
    'target warehouse: 1 account, 0 up to date, loaded just now, verified just now',
    '  account main has failed since … UTC: no answer to me:[key] -> is the server running?',
  ]);

  const code = 'other_warehouse';
  const refused = await statusAfter(
    loadReport({
      outcome: 'refused',
      changeSeq: null,
      code,
      error: 'account main belongs to another warehouse',
      hint: 'x',
    }),
  );
  expect(refused.code).toBe(3);
  expect(refused.needs).toEqual([
    expect.stringContaining('account main belongs to another warehouse') as string,
  ]);
  expect(refused.targets).toMatchObject([{ up_to_date: false, accounts: [{ code, behind_changes: 0 }] }]);
});
