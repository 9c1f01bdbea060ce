import { describe, expect, it } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import {
  addDate,
  startScriptedService,
  type Reply,
  type SeenRequest,
} from '../support/servers/scripted-service.ts';
import { lockOrThrow } from '../../src/database/lock.ts';
import { listPage, listRefusal, videoRecord } from '../support/fixtures/service-responses.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { startWebhook } from '../support/servers/webhook.ts';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type List = (request: SeenRequest) => Reply;
const succeed: List = (request) => listPage(request, [videoRecord(1)]);
const refuse: List = () => listRefusal('Gone', 'no such package');

/** A folder with a config that has a webhook, and a service with scripted responses. */
async function openFolder(packages: readonly number[] = [101]) {
  let list = succeed;
  const { url } = await startScriptedService((request) => addDate(list(request), Date.now()));
  const [webhook, ping] = [await startWebhook(), await startWebhook()];
  const notify = 'notify: { webhook: "${HOOK}", ping: "${PING}" }';
  const text = configText({ url, packages, storage: false, top: notify });
  const cwd = createFolder({ [CONFIG]: text });
  const env = { HOOK: webhook.url, PING: ping.url };
  const newMessages = () =>
    webhook.received.map(({ event, state, package_id: id }) => `${event} ${state} ${id ?? ''}`);
  return {
    cwd,
    env,
    webhook,
    ping,
    newMessages,
    path: join(cwd, WAREHOUSE),
    answer: (next: List) => void (list = next),
  };
}

describe('sync', () => {
  it('sends the current state once, and pings after a successful run over everything', async () => {
    const { cwd, env, ping, newMessages, answer } = await openFolder();
    answer(refuse);
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(1);
    expect(newMessages()).toEqual(['failed begun 101']);
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(1);
    answer(succeed);
    expect((await vodhouse(['sync', '--package', '101'], { cwd, env })).code).toBe(0);
    expect([newMessages(), ping.calls.length]).toEqual([['failed begun 101', 'failed over 101'], 0]);
    expect((await vodhouse(['sync', '--quick'], { cwd, env })).code).toBe(0);
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(0);
    expect([newMessages().length, ping.calls.length]).toEqual([2, 2]);
  });

  it('pings when a run over everything begins and fails, also where its publication does', async () => {
    const { cwd, env, ping, answer } = await openFolder();
    const calls = () => ping.calls.splice(0).map(({ path }) => path.split('/').at(-1));
    const addresses = ['success', 'start', 'failure'].map((kind) => `${kind}: "\${PING}/${kind}"`).join(', ');
    const { path: config, text } = { path: join(cwd, CONFIG), text: readFileSync(join(cwd, CONFIG), 'utf8') };
    writeFileSync(config, text.replace('ping: "${PING}"', `ping: { ${addresses} }`));
    answer(refuse);
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(1);
    expect(calls()).toEqual(['start', 'failure']);
    expect((await vodhouse(['sync', '--package', '101'], { cwd, env })).code).toBe(1);
    const lock = lockOrThrow(join(cwd, WAREHOUSE), 'run', 'sync', Date.now());
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(75);
    lock.release();
    expect(calls()).toEqual([]);
    answer(succeed);
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(0);
    expect(calls()).toEqual(['start', 'success']);
    appendFileSync(config, 'publish: { file: data }\n'); // a folder
    expect((await vodhouse(['sync'], { cwd, env })).code).toBe(3);
    expect(calls()).toEqual(['start', 'failure']);
  });

  it('waits ten seconds at most for the webhook, and leaves the rest to the next process', async () => {
    const { cwd, env, webhook, newMessages, answer } = await openFolder();
    answer(refuse);
    webhook.answer('hang');
    const before = performance.now();
    const { code, stderr } = await vodhouse(['sync'], { cwd, env });
    expect(performance.now() - before).toBeLessThan(16_000);
    expect(code).toBe(1);
    expect(stderr).not.toContain('T0000');
    webhook.answer(200);
    await vodhouse(['sync', '--package', '101'], { cwd, env });
    expect(newMessages()).toEqual(['failed begun 101']);
  });

  it('completes its run where the webhook is unreachable', async () => {
    const { cwd, env } = await openFolder();
    const nowhere = { HOOK: 'http://127.0.0.1:1/secret', PING: 'http://127.0.0.1:1/secret' };
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd, env: { ...env, ...nowhere } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^run 1: succeeded/);
    expect(stderr).not.toContain('secret');
  });
});
