import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { eventually, startVodhouse } from '../support/processes/vodhouse-command.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

/** A server that takes calls and never answers them. */
async function startSilentServer() {
  const calls: Socket[] = [];
  const server = createServer((request) => void calls.push(request.socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls };
}

it('at a reload, the server of a worker answers as long as a ping is under way', async () => {
  const ping = await startSilentServer();
  const { url } = await startSandbox();
  const text = configText({
    url,
    storage: false,
    top: `notify: { ping: "${ping.url}" }\nserver: { port: 0 }`,
  });
  const cwd = createFolder({ [CONFIG]: text });
  const worker = startVodhouse(['start'], { cwd });
  await eventually(() => ping.calls.length).toBe(1);
  const [, address = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(worker.stderr()) ?? [];
  const answers = () =>
    fetch(`${address}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  expect(await answers()).toBe(true);

  writeFileSync(
    join(cwd, CONFIG),
    readFileSync(join(cwd, CONFIG), 'utf8').replace('concurrency: 4', 'concurrency: 3'),
  );
  worker.kill('SIGHUP');
  let answered = 0;
  const isUnderWay = () => ping.calls[0]?.destroyed === false;
  while (isUnderWay()) {
    if (await answers()) answered++;
    else expect(isUnderWay()).toBe(false);
    await sleep(20);
  }
  expect(answered).toBeGreaterThan(1);
  await eventually(worker.stderr).toContain('took the changed config');
});
