import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { readWarehouseValue } from '../support/fixtures/warehouse-rows.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 120_000 });

const records = Array.from({ length: 5 }, (_, index) => videoRecord(index + 1));

/** A service that counts its requests, and the folder of a worker whose only target is a lake. */
async function createPlace({ worker = 'eu-1', root = temporaryFolder(), keys = '' } = {}) {
  const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
  const top = `worker: ${worker}
server: { port: 0 }
publish: { targets: [{ name: lake, folder: ${root}${keys} }] }`;
  const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false, top }) });
  return { cwd, root, requests: service.requests };
}

/** A copy of the folder of a worker, as somebody makes it by hand. */
function copyOf(cwd: string): { cwd: string } {
  const copy = join(temporaryFolder(), 'copy');
  cpSync(cwd, copy, { recursive: true });
  return { cwd: copy };
}

const pointersOf = (root: string) =>
  readdirSync(join(root, 'latest')).filter((name) => name.startsWith('account='));

describe('a lake on a folder', () => {
  it('is checked before its first load', async () => {
    const { code, stdout } = await vodhouse(['check'], await createPlace());
    expect(stdout).toMatch(/^lake +conditional writes +ok +kept$/m);
    expect(stdout).toMatch(/^lake +account main +ok +not loaded yet$/m);
    expect(code).toBe(0);
  });

  it('does not begin anew where its folder is missing', async () => {
    const root = join(temporaryFolder(), 'unmounted');
    const place = await createPlace({ root });
    const { stdout } = await vodhouse(['check'], place);
    expect(stdout).toMatch(/^lake +connection +FAILED +\S+: there is no such folder$/m);
    expect(stdout).toContain(`for a new lake: mkdir -p ${root}`);
    const sync = await vodhouse(['sync'], place);
    expect(sync.stdout + sync.stderr).toContain(`${root}: there is no such folder`);
    expect(existsSync(root)).toBe(false);
  });

  it('is loaded by sync, published to, verified, and told of by status, plan and check', async () => {
    const place = await createPlace();
    const sync = await vodhouse(['sync'], place);
    expect(sync.stdout).toMatch(/^target lake: 1 of 1 account up to date, [\d,]+ rows in/m);
    expect(sync.code).toBe(0);
    expect(pointersOf(place.root)).toEqual(['account=main.json']);

    const published = await vodhouse(['publish', '--verify'], place);
    expect(published.stdout).toMatch(/^ {2}main +up to date at change 5; counts and sums are equal$/m);
    expect(published.code).toBe(0);
    const rebuilt = await vodhouse(['publish', '--target', 'lake', '--rebuild', 'main', '--json'], place);
    expect(rebuilt.stderr).toContain('this worker has it, last loaded');
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({
      targets: [{ target: 'lake', accounts: [{ account: 'main', outcome: 'loaded', verified: true }, {}] }],
    });

    const status = await vodhouse(['status'], place);
    expect(status.stdout).toMatch(
      /^target lake: 1 account, up to date, loaded just now \(every 1d at most\), verified just now$/m,
    );
    const json = JSON.parse((await vodhouse(['status', '--json'], place)).stdout) as { targets: unknown[] };
    expect(json.targets).toMatchObject([
      { target: 'lake', kind: 'lake', every_ms: 86_400_000, up_to_date: true },
    ]);
    expect((await vodhouse(['plan'], place)).stdout).toMatch(/^lake +main +nothing new +0 *$/m);

    const check = await vodhouse(['check'], place);
    expect(check.stdout).toMatch(/^lake +rights +ok +objects can be written and deleted$/m);
    expect(check.stdout).toMatch(/^lake +conditional writes +ok +kept$/m);
    expect(check.stdout).toMatch(/^lake +clock +ok/m);
    expect(check.stdout).toMatch(/^lake +account main +ok +loaded .* UTC by this worker$/m);
    expect(readdirSync(join(place.root, 'workers')).every((name) => name.endsWith('.json'))).toBe(true);
    expect(check.code).toBe(0);
  });

  it('has no SQL to print: the views are in its folder sql/', async () => {
    const place = await createPlace();
    const { code, stdout, stderr } = await vodhouse(['publish', '--print-sql'], place);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--print-sql is for databases, and lake is a lake');
    expect(stderr).toContain(`${place.root}/sql/`);
  });

  it('is loaded again only after its `every`, also by a worker that starts again', async () => {
    const place = await createPlace();
    expect((await vodhouse(['sync'], place)).code).toBe(0);
    const attemptedAt = () => readWarehouseValue(place.cwd, `select max(attempted_at) from target_load`);
    const before = attemptedAt();
    const worker = startVodhouse(['start', '--log-level', 'debug'], place);
    await eventually(worker.stderr).toContain('next full run at');
    expect((await vodhouse(['sync'], place)).stdout).not.toContain('target lake');
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect(attemptedAt()).toBe(before);
  });

  it('says what is wrong where it cannot be written, at once in status, and loads again by itself', async () => {
    const place = await createPlace({ root: join(temporaryFolder(), 'lake') });
    writeFileSync(place.root, 'a file');
    const { code, stdout } = await vodhouse(['sync'], place);
    expect(stdout).toContain('a part of the path is no folder\n    -> correct `folder:` of the target');
    expect(code).toBe(3);
    const status = await vodhouse(['status'], place);
    expect(status.stdout).toMatch(/target lake fails since .* UTC for account main/);
    expect(status.stdout).toContain('correct `folder:` of the target');
    const check = await vodhouse(['check'], place);
    expect(check.stdout).toMatch(/^lake +connection +FAILED +.*a part of the path is no folder$/m);
    rmSync(place.root);
    mkdirSync(place.root);
    expect((await vodhouse(['publish'], place)).code).toBe(0);
    expect((await vodhouse(['status'], place)).stdout).toContain('target lake: 1 account, up to date');
  });

  it.skipIf(process.getuid?.() === 0)('tells of a folder that this user may not write', async () => {
    const place = await createPlace();
    expect((await vodhouse(['sync'], place)).code).toBe(0);
    chmodSync(join(place.root, 'workers'), 0o500);
    const { stdout } = await vodhouse(['check'], place);
    chmodSync(join(place.root, 'workers'), 0o700);
    expect(stdout).toMatch(/^lake +rights +FAILED +.*this user may not write there$/m);
  });
});

describe('an account in a lake', () => {
  it('is synced and loaded by one worker; another one with a copy is refused, and asks the service nothing', async () => {
    const place = await createPlace();
    expect((await vodhouse(['sync'], place)).code).toBe(0);
    const copy = copyOf(place.cwd);
    place.requests.length = 0;
    for (const command of ['sync', 'start']) {
      const { code, stderr } = await vodhouse([command], copy);
      expect({ command, code }).toEqual({ command, code: 75 });
      expect(stderr).toMatch(/account main is held by eu-1 until \d\d:\d\d UTC/);
    }
    expect(place.requests).toEqual([]);
    const published = await vodhouse(['publish'], copy);
    expect(published.stdout).toMatch(/^ {2}main {2}HELD by eu-1 until \d{4}-[-\d]+ [\d:]+ UTC$/m);
    expect(published.code).toBe(75);
    const check = await vodhouse(['check'], copy);
    expect(check.stdout).toMatch(/^lake +account main +FAILED +held by eu-1 until/m);
  });

  it('is free when its worker stops', async () => {
    const place = await createPlace();
    expect((await vodhouse(['sync'], place)).code).toBe(0);
    const copy = copyOf(place.cwd);
    const worker = startVodhouse(['start'], place);
    await eventually(worker.stderr).toContain('serving at');
    expect((await vodhouse(['sync'], copy)).code).toBe(75);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect(await vodhouse(['sync'], copy)).toMatchObject({ code: 0 });
  });

  it('is taken by a person who says so, and the other worker hears of it', async () => {
    const place = await createPlace();
    expect((await vodhouse(['sync'], place)).code).toBe(0);
    const copy = copyOf(place.cwd);
    const config = configText({
      ...{ url: 'http://127.0.0.1:1', storage: false },
      top: `worker: eu-2\npublish: { targets: [{ name: lake, folder: ${place.root} }] }`,
    });
    writeFileSync(join(copy.cwd, CONFIG), config);
    const taken = await vodhouse(['publish', '--target', 'lake', '--rebuild', 'main', '--yes'], copy);
    expect(taken.stderr).toMatch(/account main: worker eu-1 has it, .* its lease lasts until/);
    expect(taken.code).toBe(0);
    expect((await vodhouse(['publish'], place)).stdout).toContain('HELD by eu-2');
  });
});
