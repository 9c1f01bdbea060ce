/** Two accounts that have a package with the same id. */
import { describe, expect, it, vi } from 'vitest';
import { idsBetween, startPackageService } from '../../support/servers/test-service.ts';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const LIVE = 'select account, count(*) as live from video where removed_at is null group by account';
const HELD = 'select account, count(*) as held from removal_candidate where held_back = 1 group by account';

/** A folder whose config has 101 in `main` and in `second`; each account has its own service. */
async function folderOfTwo() {
  const services = [
    await startPackageService(idsBetween(1, 60)),
    await startPackageService(idsBetween(1, 60)),
  ];
  const [main, second] = services.map(({ url }) => configText({ url, storage: false }));
  const accounts = second?.slice(second.indexOf('  - name: main')).replace('main', 'second');
  const cwd = createFolder({ [CONFIG]: `${main}${accounts}` });
  return { cwd, services, run: (...parameters: string[]) => vodhouse(parameters, { cwd }) };
}

/** The same, where forty removals of each are held back. */
async function holdingFolder() {
  const folder = await folderOfTwo();
  expect((await folder.run('sync')).code).toBe(0);
  for (const service of folder.services) service.remove(...idsBetween(11, 50));
  const held = await folder.run('sync');
  expect(held.code).toBe(3);
  return { ...folder, held };
}

/** The commands in the text, split into arguments. */
function commandsIn(text: string): string[][] {
  const found = text.matchAll(/vodhouse (sync .*--accept-removals.*)$/gm);
  return [...found].map(([, message = '']) => message.split(' '));
}

/** By account, the walk that held back removals. */
function readWalks(cwd: string): Record<string, number> {
  const rows = readWarehouseRows(cwd, 'select account, walk_id from walk where held_back > 0');
  return Object.fromEntries(rows.map(({ account, walk_id: walk }) => [String(account), Number(walk)]));
}

describe('a package whose id another account has too', () => {
  it('is printed with its account in the command that accepts its removals, and only its own', async () => {
    const { cwd, held, run } = await holdingFolder();
    const walks = readWalks(cwd);
    const commands = ['main', 'second'].map((account) => {
      return ['sync', '--package', `${account}/101`, '--accept-removals', String(walks[account])];
    });
    expect(commandsIn(held.stdout).sort()).toEqual(commands);
    expect(commandsIn((await run('status')).stdout)).toEqual(commands);
    const { held_back: reports } = JSON.parse((await run('status', '--json')).stdout) as {
      held_back: { command: string }[];
    };
    expect(reports.map(({ command }) => command.split(' ').slice(1))).toEqual(commands);

    // The later walk of the two: without the account it would also accept the removals of the earlier one.
    const later = (walks.main ?? 0) > (walks.second ?? 0) ? 'main' : 'second';
    const other = later === 'main' ? 'second' : 'main';
    const [command = []] = commands.filter((message) => message.includes(`${later}/101`));
    expect(await run(...command)).toMatchObject({ code: 0 });
    expect(readWarehouseRows(cwd, LIVE)).toEqual([
      { account: 'main', live: later === 'main' ? 20 : 60 },
      { account: 'second', live: later === 'second' ? 20 : 60 },
    ]);
    expect(readWarehouseRows(cwd, HELD)).toEqual([{ account: other, held: 40 }]);
    expect(readWarehouseValue(cwd, 'select scope from run order by run_id desc limit 1')).toBe(
      `packages ${later}/101, videos only`,
    );
    expect(commandsIn((await run('status')).stdout)).toEqual(
      commands.filter((message) => !message.includes(`${later}/101`)),
    );
  });
});
