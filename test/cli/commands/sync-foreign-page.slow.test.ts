import { describe, expect, it, vi } from 'vitest';
import { configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { OF_101, OF_102 } from '../../support/servers/walked-packages.ts';
import { idsFrom, startTestService } from '../../support/servers/test-service.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const LIVE =
  'select group_concat(id) from (select id from video where package_id = 102 and removed_at is null order by id)';
const CONFIG = 'other.yaml';

async function createSyncedFolder() {
  const service = await startTestService({ 101: OF_101, 102: OF_102 });
  const text = configText({ url: service.url, packages: [101, 102], storage: false });
  const cwd = createFolder({ [CONFIG]: text });
  const run = (...parameters: string[]) => vodhouse([...parameters, '--config', CONFIG], { cwd });
  expect((await run('sync')).code).toBe(0);
  return { service, cwd, run };
}

/** The arguments of the command in the text. */
function commandIn(text: string): string[] {
  return (/vodhouse (sync .*--accept-removals.*?)$/m.exec(text)?.[1] ?? '').trim().split(' ');
}

describe('sync with the page of another package', () => {
  it('prints the reason and the command, as status does; that command accepts a refilled package', async () => {
    const { service, cwd, run } = await createSyncedFolder();
    service.getPackage(102).refill(idsFrom(3, 120, 3));
    const { code, stdout } = await run('sync');
    expect(code).toBe(3);
    expect(stdout).toContain('page 1: it holds not one of the 90 known videos');
    const command = ['sync', '--package', '102', '--accept-removals', '--config', CONFIG];
    expect(commandIn(stdout)).toEqual(command);
    expect(readWarehouseValue(cwd, LIVE)).toBe(OF_102.join(','));
    const status = await run('status');
    expect(status.stdout).toContain('vodhouse sync --package 102 --accept-removals --config other.yaml');
    expect((await vodhouse(command, { cwd })).stdout).toMatch(/^main\/102 +succeeded .* 120 /m);
  });
});
