import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { startWebhook } from '../../support/servers/webhook.ts';

vi.setConfig({ testTimeout: 60_000 });

const folderWith = (top: string) =>
  createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:9', top }) });

describe('notify --test', () => {
  it('sends one message whatever notify.events has, and needs no warehouse', async () => {
    const webhook = await startWebhook();
    const cwd = folderWith('notify: { webhook: "${HOOK}", events: [] }');
    const env = { HOOK: webhook.url };
    const { code, stdout, stderr } = await vodhouse(['notify', '--test'], { cwd, env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`the webhook at ${webhook.host} accepted the test message\n`);
    const json = await vodhouse(['notify', '--test', '--json'], { cwd, env });
    expect(JSON.parse(json.stdout)).toEqual({ webhooks: [{ host: webhook.host, error: null }] });
    expect(readFileSync('docs/json.md', 'utf8')).toContain('| `webhooks[]` | per webhook: `host`');
    expect(webhook.received).toMatchObject([
      { event: 'test', state: 'begun', account: null, package_id: null, details: {} },
      { event: 'test' },
    ]);
    expect(Object.keys(webhook.received[0] ?? {})).toEqual(
      ['event', 'state', 'account', 'package_id', 'text', 'since', 'details'], // as of an incident
    );
  });

  it('ends with 1 where the webhook does not accept it, and prints only its host', async () => {
    const webhook = await startWebhook();
    webhook.answer(404);
    const cwd = folderWith('notify: { webhook: "${HOOK}" }');
    for (const [address, error] of [
      [webhook.url, 'it answered 404'],
      ['http://127.0.0.1:1/T0000', 'no connection (ECONNREFUSED)'],
    ] as const) {
      const { code, stdout } = await vodhouse(['notify', '--test'], { cwd, env: { HOOK: address } });
      expect(code).toBe(1);
      expect(stdout).toContain(
        `did not accept the test message: ${error}\n  -> check notify.webhook in ${CONFIG}\n`,
      );
      expect(stdout).not.toContain('T0000');
    }
  });

  it.each([
    ['', 'add the address to vodhouse.yaml: notify: { webhook: "${VODHOUSE_WEBHOOK}" }'],
    [
      'notify: { ping: "http://127.0.0.1:1/" }',
      'add the address under notify in vodhouse.yaml: webhook: ${VODHOUSE_WEBHOOK}; to test notify.ping, make a run: vodhouse sync --quick',
    ],
  ])('ends with 2 where there is no webhook, and prints what to add: %s', async (top, hint) => {
    const { code, stderr } = await vodhouse(['notify', '--test'], { cwd: folderWith(top) });
    expect([code, stderr]).toEqual([
      2,
      `vodhouse: vodhouse.yaml has no notify.webhook to send a test message to\n  -> ${hint}\n`,
    ]);
  });

  it('ends with 2 without --test', async () => {
    const { code, stderr } = await vodhouse(['notify'], { cwd: folderWith('') });
    expect([code, stderr]).toEqual([2, expect.stringContaining('-> vodhouse notify --test\n') as string]);
  });
});
