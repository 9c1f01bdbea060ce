import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { idsBetween, startPackageService, type PackageService } from '../../support/servers/test-service.ts';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const LIVE = 'select count(*) from video where removed_at is null';

/** A folder synced with sixty videos, of which forty are missing in the second walk and held back. */
async function holdingFolder(config = CONFIG) {
  const service = await startPackageService(idsBetween(1, 60));
  const cwd = createFolder({ [config]: configText({ url: service.url, storage: false }) });
  const run = (...parameters: string[]) => vodhouse([...parameters, '--config', config], { cwd });
  expect((await run('sync')).code).toBe(0);
  service.remove(...idsBetween(11, 50));
  const held = await run('sync');
  return { cwd, service, held, run };
}

/** The removed videos are between two pages from here on, and no boundary read covers them. */
function useSmallPages(cwd: string, { url }: PackageService): void {
  const top = 'walk: { boundary_reads: 0 }';
  writeFileSync(join(cwd, CONFIG), configText({ url, storage: false, pageSize: 10, top }));
}

/** The commands in the text, split into arguments. */
function commandIn(text: string): string[] {
  const [, message = ''] = /vodhouse (sync .*--accept-removals.*)$/m.exec(text) ?? [];
  return message.split(' ');
}

describe('a run that holds removals back', () => {
  it('prints their number, the reason, and the command that accepts them', async () => {
    const { cwd, held } = await holdingFolder();
    expect(held.code).toBe(3);
    expect(held.stdout).toMatch(/^main\/101 .* 40$/m);
    expect(held.stdout.split('still waiting:\n')[1]?.trimEnd().split('\n')).toEqual([
      '  - main/101: 40 removals, too many at once',
      '      -> to accept exactly these: vodhouse sync --package 101 --accept-removals 2',
      'They are removed automatically once another full walk (at least one schedule later) confirms them.',
    ]);
    expect(readWarehouseValue(cwd, LIVE)).toBe(60);
  });

  it('accepts them with the printed command', async () => {
    const { cwd, held } = await holdingFolder();
    const { code, stdout } = await vodhouse(commandIn(held.stdout), { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^main\/101 +succeeded .* 40 /m);
    expect(stdout).not.toContain('held back');
    expect(readWarehouseValue(cwd, LIVE)).toBe(20);
  });
});

describe('sync --accept-removals', () => {
  it('accepts everything that is held back', async () => {
    const { cwd, run } = await holdingFolder();
    expect((await run('sync', '--accept-removals')).code).toBe(0);
    expect(readWarehouseValue(cwd, LIVE)).toBe(20);
  });

  it('accepts nothing that a later walk than the given one held back', async () => {
    const { cwd, service, run } = await holdingFolder();
    service.remove(...idsBetween(1, 5));
    expect((await run('sync')).code).toBe(3);
    const { code, stdout } = await run('sync', '--accept-removals', '2');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^main\/101 .* 40 .* 5$/m);
    expect(stdout).toContain('- main/101: 5 removals, too many at once\n');
    expect(commandIn(stdout)).toEqual(['sync', '--package', '101', '--accept-removals', '3']);
    expect(readWarehouseValue(cwd, 'select count(*) from video where removed_at is null and id <= 5')).toBe(
      5,
    );
  });

  it('prints what stays held back because the walk could not prove it again', async () => {
    const { cwd, service, run } = await holdingFolder();
    useSmallPages(cwd, service);
    const { code, stdout } = await run('sync', '--accept-removals');
    expect(code).toBe(3);
    expect(stdout).toContain('- main/101: 40 removals, ');
    expect(commandIn(stdout)).toEqual(['sync', '--package', '101', '--accept-removals', '2']);
    expect(readWarehouseValue(cwd, LIVE)).toBe(60);
  });
});

describe('status where removals are held back', () => {
  it('prints some of them, the reason, what happens by itself, and the command that accepts exactly these', async () => {
    const { cwd, service, run } = await holdingFolder();
    service.remove(...idsBetween(51, 52));
    expect((await run('sync')).code).toBe(3);
    const { code, stdout } = await run('status');
    expect(code).toBe(3);
    expect(stdout.split('\n').slice(1, 9)).toEqual([
      '  - main/101: 42 removals held back, too many at once',
      '      11  Video 11',
      '      12  Video 12',
      '      13  Video 13',
      '      and 39 more',
      expect.stringMatching(/^ {6}first held back at \S+ \S+ UTC$/),
      '      -> They are removed automatically once another full walk (at least one schedule later) confirms them.',
      '      -> to accept exactly these: vodhouse sync --package 101 --accept-removals 3',
    ]);
    expect(await vodhouse(commandIn(stdout), { cwd })).toMatchObject({ code: 0 });
    expect(readWarehouseValue(cwd, LIVE)).toBe(18);
    expect((await run('status')).code).toBe(0);
  });

  it('prints the same as JSON', async () => {
    const { run } = await holdingFolder();
    const { needs, packages, held_back } = JSON.parse((await run('status', '--json')).stdout) as {
      needs: string[];
      packages: unknown[];
      held_back: unknown[];
    };
    expect(needs).toEqual(['main/101: 40 removals held back, too many at once']);
    expect(packages).toMatchObject([{ package_id: 101, held_back: 40 }]);
    expect(held_back).toEqual([
      {
        account: 'main',
        package_id: 101,
        removals: 40,
        since: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
        held_by: 2,
        reasons: ['many'],
        examples: [11, 12, 13].map((id) => ({ id, title: `Video ${id}` })),
        command: 'vodhouse sync --package 101 --accept-removals 2',
      },
    ]);
  });

  it.each([
    ["held_reason = 'all'", 'all videos of the package at once'],
    ["held_reason = 'order'", 'the list was out of order before'],
    ["held_reason = iif(id < 20, 'many', 'order')", 'too many at once; the list was out of order before'],
  ])('prints the reason: %s', async (reason, message) => {
    const { cwd, run } = await holdingFolder();
    execute(join(cwd, WAREHOUSE), `update removal_candidate set ${reason}`);
    expect((await run('status')).stdout).toContain(`main/101: 40 removals held back, ${message}\n`);
  });

  it('includes the config in the command where it is not the default', async () => {
    const { cwd, held, run } = await holdingFolder('other.yaml');
    const { stdout } = await run('status');
    for (const text of [held.stdout, stdout]) {
      expect(commandIn(text).slice(-2)).toEqual(['--config', 'other.yaml']);
    }
    expect((await vodhouse(commandIn(stdout), { cwd })).code).toBe(0);
    expect(readWarehouseValue(cwd, LIVE)).toBe(20);
  });

  it('quotes a config for the shell', async () => {
    const { run } = await holdingFolder("bob's config.yaml");
    expect((await run('status')).stdout).toContain(`--config 'bob'\\''s config.yaml'\n`);
  });

  it('prints titles without effect on a terminal', async () => {
    const service = await startPackageService(idsBetween(1, 30));
    service.edit(1, { title: 'red \u001b[31m and\ra new\nline \u009b2J\u202e' });
    service.edit(2, { title: '한국어 '.repeat(30) });
    service.edit(3, { title: null });
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
    await vodhouse(['sync'], { cwd });
    service.remove(...idsBetween(1, 30));
    await vodhouse(['sync'], { cwd });
    const { stdout } = await vodhouse(['status'], { cwd });
    expect(stdout).toContain('      1  red \ufffd[31m and\ufffda new\ufffdline \ufffd2J\ufffd\n');
    expect(stdout).toMatch(/^ {6}2 {2}(한국어 ){8}한…$/m);
    expect(stdout).toMatch(/^ {6}3 {2}$/m);
    expect(readWarehouseRows(cwd, 'select title from video where id = 1')[0]?.title).toContain('\u001b[31m');
  });
});

/** Ids that are not in the order of the list. */
function shuffle(service: PackageService): void {
  service.order = 'arrival';
  service.add(100, 7);
}

describe('status where the list is not sorted by id', () => {
  it('names the package and the consequence', async () => {
    const service = await startPackageService(idsBetween(1, 6));
    shuffle(service);
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false, pageSize: 5 }) });
    await vodhouse(['sync'], { cwd });
    const { code, stdout } = await vodhouse(['status'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain(
      '  - main/101 is not listed in order of ids: its videos are stored, its removals wait for proof\n',
    );
    expect(stdout).toMatch(/^main\/101 +8 +just now +succeeded +not by id$/m);
  });

  it('does not warn where the list fits on one page', async () => {
    const service = await startPackageService(idsBetween(1, 6));
    shuffle(service);
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false, pageSize: 8 }) });
    await vodhouse(['sync'], { cwd });
    const { code, stdout } = await vodhouse(['status'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The only package is fresh/);
    expect(stdout).toMatch(/^main\/101 +8 +just now +succeeded +not by id$/m);
  });
});
