import { onTestFinished, describe, expect, it } from 'vitest';
import { openPings } from '../../src/alerts/pings.ts';
import { InterruptedError } from '../../src/lib/errors.ts';
import { NO_PROXIES } from '../../src/lib/http/proxies.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { startWebhook, type Webhook } from '../support/servers/webhook.ts';

type Addresses = Record<'success' | 'start' | 'failure', string | null>;
const allAt = (url: string): Addresses => ({
  success: `${url}/success`,
  start: `${url}/start`,
  failure: `${url}/failure`,
});

async function openTestPings(addresses: (url: string) => Partial<Addresses> = allAt) {
  const webhook = await startWebhook();
  const log: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'json',
    secrets: [],
    write: (line) => void log.push(line),
  });
  const ping = { success: null, start: null, failure: null, ...addresses(webhook.url) };
  const notify = { webhook: null, ping, events: [], remindAfterMs: null };
  const config = { notify, proxies: NO_PROXIES };
  const pings = openPings(config, { clock: createVirtualClock('2026-03-10T12:00:00Z'), logger });
  if (!pings) throw new Error('the config has no address for pings');
  onTestFinished(() => pings.close());
  return { pings, webhook, log };
}

const kindsOf = ({ calls }: Webhook) => calls.map(({ path }) => path.split('/').at(-1));
const reach = (webhook: Webhook, kinds: string[]) => expect.poll(() => kindsOf(webhook)).toEqual(kinds);

describe('pings', () => {
  it('tell the start and the end of each run, in order', async () => {
    const { pings, webhook } = await openTestPings();
    for (const end of ['success', 'failure', null] as const) {
      pings.runStarted();
      pings.runEnded(end);
    }
    await reach(webhook, ['start', 'success', 'start', 'failure', 'start']);
    expect(webhook.calls[0]).toMatchObject({ method: 'GET', body: '' });
  });

  it('are left out where they have no address', async () => {
    const { pings, webhook } = await openTestPings((url) => ({ failure: `${url}/failure` }));
    pings.runStarted();
    pings.runEnded('success');
    pings.runStarted();
    pings.runEnded('failure');
    await reach(webhook, ['failure']);
  });

  it('tell that a run threw, unless it had not begun or was interrupted', async () => {
    const { pings, webhook } = await openTestPings();
    pings.runThrew(new Error('locked'));
    pings.runStarted();
    pings.runThrew(new InterruptedError('stopped'));
    pings.runStarted();
    pings.runThrew(new Error('the disk is full'));
    await reach(webhook, ['start', 'start', 'failure']);
  });

  it('tell no start again after the end, though its first attempt failed', async () => {
    const { pings, webhook } = await openTestPings();
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    webhook.answer(async ({ path }) => {
      if (!path.endsWith('start')) return 200;
      await isReleased;
      return 500;
    });
    pings.runStarted();
    await reach(webhook, ['start']);
    pings.runEnded('success');
    release();
    await reach(webhook, ['start', 'success']);
  });

  it('are sent up to three times; only the host is logged where each attempt fails', async () => {
    const { pings, webhook, log } = await openTestPings();
    webhook.answer(404);
    pings.runEnded('failure');
    await expect
      .poll(() => log.join(''))
      .toContain(`the failure ping to ${webhook.host} failed: it answered 404`);
    expect(kindsOf(webhook)).toEqual(['failure', 'failure', 'failure']);
    expect(log.join('')).not.toContain('T0000');
  });

  it('use basic authentication', async () => {
    const { pings, webhook } = await openTestPings((url) => ({
      success: url.replace('://', '://user:word@'),
    }));
    pings.runEnded('success');
    await expect
      .poll(() => webhook.calls)
      .toMatchObject([{ headers: { authorization: 'Basic dXNlcjp3b3Jk' } }]);
  });
});
