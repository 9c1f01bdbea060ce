import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { readWarehouseValue } from '../support/fixtures/warehouse-rows.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { createGate, startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const records = Array.from({ length: 50 }, (_, index) => videoRecord(index + 1));

/** A worker whose first page waits for the gate. */
async function startHeldWorker(parameters: string[] = []) {
  const gate = createGate();
  const { url, requests } = await startScriptedService(
    serveEverything(async (request) => {
      await gate.opened;
      return listPage(request, records);
    }),
  );
  const cwd = createFolder({ [CONFIG]: configText({ url, storage: false }) });
  const worker = startVodhouse(['start', ...parameters], { cwd });
  await eventually(() => requests.length).toBe(1);
  return { cwd, gate, worker };
}

describe('a worker', () => {
  it('continues at SIGUSR2 and without a reader of its log', async () => {
    const { cwd, gate, worker } = await startHeldWorker();
    worker.kill('SIGUSR2');
    worker.process.stderr?.destroy(); // as a log reader that ends does
    gate.open();
    const count = `select count(*) from run where status = 'succeeded'`;
    await eventually(() => readWarehouseValue(cwd, count)).toBe(1);
    worker.kill('SIGUSR2');
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  it('reloads its config at SIGHUP, and continues with the one it has if that is invalid', async () => {
    const { cwd, gate, worker } = await startHeldWorker();
    gate.open();
    await eventually(worker.stderr).toContain('next full run at');
    const path = join(cwd, CONFIG);
    const valid = readFileSync(path, 'utf8');
    writeFileSync(path, `${valid}\nnonsense: 1\n`);
    worker.kill('SIGHUP');
    await eventually(worker.stderr).toContain('the config was not reloaded');
    expect((await vodhouse(['status'], { cwd })).code).toBe(2); // status reads the config too
    writeFileSync(path, valid);
    const refused = await vodhouse(['status'], { cwd });
    expect([refused.code, refused.stdout]).toEqual([
      3,
      expect.stringContaining('nonsense: unknown key') as string,
    ]);
    worker.kill('SIGHUP');
    await eventually(worker.stderr).toContain('took the changed config');
    expect((await vodhouse(['status'], { cwd })).code).toBe(0);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  it('ends like at SIGTERM when its terminal closes', async () => {
    const { url } = await startScriptedService(serveEverything((request) => listPage(request, records)));
    const cwd = createFolder({ [CONFIG]: configText({ url, storage: false }) });
    const command = `'${process.execPath}' '${resolve('bin/vodhouse.js')}' start`;
    const terminal = spawn('script', ['-qc', command, '/dev/null'], { cwd, stdio: 'ignore' }); // util-linux: a pty
    onTestFinished(() => void terminal.kill('SIGKILL'));
    const holder = join(cwd, 'data/vodhouse.db.worker.holder');
    await eventually(() => existsSync(holder)).toBe(true);
    const count = `select count(*) from run where status = 'succeeded'`;
    await eventually(() => readWarehouseValue(cwd, count)).toBe(1);
    terminal.kill('SIGKILL');
    await eventually(() => existsSync(holder)).toBe(false);
    expect(existsSync(join(cwd, 'data/vodhouse.db-wal'))).toBe(false);
  });

  it('logs its end as lines of the log', async () => {
    const { cwd, gate, worker } = await startHeldWorker(['--log-format', 'json']);
    const second = await vodhouse(['start', '--log-format', 'json'], { cwd });
    expect(second.code).toBe(75);
    expect(JSON.parse(second.stderr)).toMatchObject({ level: 'error', event: 'worker_failed' });
    worker.kill('SIGTERM');
    await eventually(worker.stderr).toContain('worker_stopping');
    gate.open();
    const { code, stderr } = await worker.ended;
    const logged = stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
    expect(code).toBe(0);
    expect(logged).toContainEqual(
      expect.objectContaining({ event: 'worker_stopping', level: 'info', reason: 'SIGTERM' }),
    );
    expect(logged.at(-1)).toMatchObject({
      event: 'worker_stopped',
      reason: 'SIGTERM',
      msg: 'stopped by SIGTERM',
    });
  });
});
