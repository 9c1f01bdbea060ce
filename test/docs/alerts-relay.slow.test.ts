import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/processes/vodhouse-command.ts';
import { findFreePort } from '../support/servers/loopback.ts';
import { startWebhook } from '../support/servers/webhook.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const PAGE = readFileSync('docs/alerts.md', 'utf8');
const [, RELAY = ''] = /```js\n([^]*?)```/.exec(PAGE) ?? [];
const [, MESSAGE = ''] = /```json\n([^]*?)```/.exec(PAGE) ?? [];

/** The relay of the docs, before the address of an Alertmanager; returns its own address. */
async function startRelay(alerts: string): Promise<string> {
  const file = join(temporaryFolder(), 'relay.mjs');
  writeFileSync(file, RELAY);
  const port = await findFreePort();
  const env = { PATH: process.env.PATH ?? '', ALERTS: alerts, PORT: String(port) };
  const relay = spawn(process.execPath, [file], { env, stdio: 'inherit' });
  onTestFinished(() => void relay.kill('SIGKILL'));
  return `http://127.0.0.1:${port}/`;
}

it('the relay of docs/alerts.md gives Alertmanager an alert that a message begins and ends', async () => {
  const alertmanager = await startWebhook();
  const relay = await startRelay(alertmanager.url);
  const post = (body: string) =>
    fetch(relay, { method: 'POST', body }).then(
      ({ status }) => status,
      () => 0,
    );
  await eventually(() => post(MESSAGE)).toBe(204);
  alertmanager.answer(500);
  expect(await post(MESSAGE.replace('"begun"', '"over"'))).toBe(500);
  const [begun, over] = alertmanager.calls.map(
    ({ body }) => (JSON.parse(body) as Record<string, unknown>[])[0],
  );
  const labels = { alertname: 'vodhouse_held_back', account: 'main', package_id: '101' };
  expect(begun).toMatchObject({ labels, startsAt: '2026-03-10T12:00:00Z' });
  expect(Date.parse(String(begun?.['endsAt']))).toBeGreaterThan(Date.now() + 86_400_000);
  expect(over).toMatchObject({ labels, startsAt: '2026-03-10T12:00:00Z' });
  expect(Date.parse(String(over?.['endsAt']))).toBeLessThanOrEqual(Date.now());
});
