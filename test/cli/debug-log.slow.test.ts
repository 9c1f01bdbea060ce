import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { eventually, startVodhouse } from '../support/processes/vodhouse-command.ts';
import { createGate, startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const records = Array.from({ length: 50 }, (_, index) => videoRecord(index + 1));
const JSON_LOG = ['--log-format', 'json', '--log-level'];

/** A sync of five pages whose first response waits for the gate; `limits`: of the account. */
async function startSync(level: string, limits = 'per_second: null') {
  const gate = createGate();
  const { url, requests } = await startScriptedService(
    serveEverything(async (request) => {
      await gate.opened;
      return listPage(request, records);
    }),
  );
  const text = configText({ url, storage: false, pageSize: 10 }).replace('per_second: null', limits);
  const cwd = createFolder({ [CONFIG]: text });
  const command = startVodhouse(['sync', ...JSON_LOG, level], { cwd });
  await eventually(() => requests.length).toBe(1);
  return { gate, command };
}

function readEvents(log: string, event: string): Record<string, unknown>[] {
  const lines = log.trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((each) => each['event'] === event);
}

describe('--log-level debug', () => {
  it('says that requests wait, how long and what for', async () => {
    const { gate, command } = await startSync('debug', 'per_second: 2');
    gate.open();
    const { code, stderr } = await command.ended;
    expect(code).toBe(0);
    const waits = readEvents(stderr, 'budget_wait');
    expect(waits.length).toBeGreaterThan(0);
    expect(waits[0]).toMatchObject({
      level: 'debug',
      account: 'main',
      reason: expect.stringContaining('the budget of account main per second is spent until') as string,
      wait_ms: expect.any(Number) as number,
    });
    expect(readEvents(stderr, 'request_answered')).toHaveLength(6);
  });
});
