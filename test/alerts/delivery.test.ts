import { describe, expect, it } from 'vitest';
import { NO_PROXIES } from '../../src/lib/http/proxies.ts';
import { httpCall } from '../../src/alerts/http-call.ts';
import { getRetryDelay } from '../../src/alerts/incident-rows.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { gap, held, NOON, openTestNotifier, READ_LATER } from '../support/fixtures/open-notifier.ts';
import { startProxy } from '../support/servers/proxy-server.ts';
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { SECRET_PATH, startWebhook } from '../support/servers/webhook.ts';

describe('a webhook that is down', () => {
  it('is retried after 30 s, 1 min, 2 min and so on, up to 1 h', () => {
    expect([1, 2, 3, 4, 8, 9, 500].map(getRetryDelay)).toEqual(
      [30, 60, 120, 240, 3600, 3600, 3600].map((seconds) => seconds * 1000),
    );
  });

  it('receives all pending messages in order as soon as it is up again', async () => {
    const { sql, check, checkAfter, newMessages, webhook, path, log } = await openTestNotifier();
    webhook.answer(503);
    sql(gap('2026-03-08'), held(101));
    await check();
    for (let minute = 0; minute < 300; minute += 10) await checkAfter(10 * MINUTE_MS);
    sql('delete from storage_gap;');
    await checkAfter(MINUTE_MS);
    sql(gap('2026-03-09'));
    for (let minute = 0; minute < 60; minute += 10) await checkAfter(10 * MINUTE_MS);
    const tries = webhook.calls.length;
    expect(tries).toBeGreaterThan(12);
    expect(newMessages()).toEqual([]);
    expect(
      readRows(
        path,
        'select distinct last_error from incident where attempts > 0 and last_error is not null',
      ),
    ).toEqual([{ last_error: 'it answered 503' }]);

    webhook.answer(204);
    for (let minute = 0; minute < 60 && webhook.received.length === 0; minute += 5)
      await checkAfter(5 * MINUTE_MS);
    const about = (event: string) =>
      webhook.received.filter((post) => post.event === event).map(({ state }) => state);
    expect(about('gap')).toEqual(['begun', 'over', 'begun']);
    expect(about('held_back')).toEqual(['begun']);
    expect(about('stale')).toHaveLength(3); // two packages and the storage, since 14:00
    expect(webhook.calls.length).toBe(tries + webhook.received.length);
    expect(log.filter((line) => line.includes('did not accept'))).toHaveLength(1);
    expect(log.filter((line) => line.includes('accepts messages again'))).toHaveLength(1);
  });

  it('keeps its retry schedule after a restart, without additional attempts', async () => {
    const { sql, check, restart, checkAfter, newMessages, webhook } = await openTestNotifier();
    webhook.answer(500);
    sql(gap('2026-03-08'));
    await check();
    for (let times = 0; times < 3; times++) {
      await restart();
      await check();
    }
    expect(webhook.calls).toHaveLength(1);
    webhook.answer(200);
    await checkAfter(30_000);
    expect(newMessages()).toEqual(['gap begun']);
  });

  it.each([
    [6, ['gap begun', 'gap over']],
    [8, []],
  ])('that comes back %i days after an end has the messages %j', async (days, messages) => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier();
    webhook.answer(500);
    sql(gap('2026-03-08'), READ_LATER);
    await check();
    sql('delete from storage_gap;');
    await checkAfter(10 * DAY_MS); // a begin is tried for as long as its incident lasts
    webhook.answer(200);
    await checkAfter(days * DAY_MS);
    expect(newMessages()).toEqual(messages);
  });

  it('does not count an attempt that the shutdown interrupts', async () => {
    const { sql, check, checkAfter, restart, newMessages, webhook, log } = await openTestNotifier();
    webhook.answer('hang');
    sql(gap('2026-03-08'), READ_LATER);
    const checked = check();
    await expect.poll(() => webhook.calls.length).toBe(1);
    await Promise.all([restart(), checked]);
    expect(log).toEqual([]);
    webhook.answer(200);
    await checkAfter(0);
    expect(newMessages()).toEqual(['gap begun']);
  });

  it('that rejects one message still receives those of other events', async () => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier();
    webhook.answer(({ body }) => (body.includes('"gap"') ? 400 : 200));
    sql(gap('2026-03-08'), held(101));
    await check();
    sql('delete from removal_candidate;');
    await checkAfter(MINUTE_MS);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['held_back begun 101', 'held_back over 101']);
  });
});

describe('a response', () => {
  it('that redirects is a failure with a clear message, and the redirect is not followed', async () => {
    const { sql, check, log, newMessages, webhook } = await openTestNotifier();
    webhook.answer({ status: 302, location: `${webhook.url}/elsewhere` });
    sql(gap('2026-03-08'));
    await check();
    expect(webhook.calls).toHaveLength(1);
    expect(newMessages()).toEqual([]);
    expect(log.join('')).toContain('it answered 302, a redirect, which is not followed');
  });

  it('that does not arrive in time is a failure', async () => {
    const { url, answer } = await startWebhook();
    answer('hang');
    const { signal } = new AbortController();
    const call = { url, proxies: NO_PROXIES, body: '{}', signal };
    expect(await httpCall(call, 30)).toBe('no response within 0.03 s');
  });

  it('of an unreachable host is a failure that names only the host of the address', async () => {
    const url = `http://127.0.0.1:1${SECRET_PATH}?token=abc`;
    const { sql, check, log, path } = await openTestNotifier({ notify: { webhook: url } });
    sql(gap('2026-03-08'));
    await check();
    expect(log.join('')).toContain('the webhook at 127.0.0.1:1 did not accept a message: no connection (');
    const stored = JSON.stringify(readRows(path, 'select * from incident'));
    expect(stored).toContain('no connection');
    expect(log.join('') + stored).not.toMatch(/T0000|token/);
  });
});

describe('a webhook with a password in its address', () => {
  it.each([
    ['user:p%40ss%3Aw%C3%B6rd', 'user:p@ss:wörd'],
    ['only-a-name', 'only-a-name:'],
    ['user:100%', 'user:100%'],
  ])('is called with basic authentication: %s', async (given, pair) => {
    const webhook = await startWebhook();
    const address = webhook.url.replace('://', `://${given}@`);
    const { sql, check, log, path } = await openTestNotifier({ notify: { webhook: address } });
    sql(gap('2026-03-08'));
    await check();
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    expect(webhook.calls).toMatchObject([{ method: 'POST', path: SECRET_PATH, headers: { authorization } }]);
    webhook.answer(500);
    sql(held(101));
    await check();
    expect(log.join('')).toContain(`the webhook at ${webhook.host} did not accept`);
    const written = log.join('') + JSON.stringify(readRows(path, 'select * from incident'));
    expect([given, authorization, pair].filter((secret) => written.includes(secret))).toEqual([]);
  });
});

describe('a webhook behind a proxy of the environment', () => {
  const by = (httpProxy: string) => ({ ...NO_PROXIES, httpProxy });

  it('is called by the proxy, unless NO_PROXY has its host', async () => {
    const proxy = await startProxy({ login: 'me:word' });
    const url = proxy.url.replace('://', '://me:word@');
    const { sql, check, restart, webhook, newMessages } = await openTestNotifier();
    await restart({ proxies: by(url) });
    sql(gap('2026-03-08'));
    await check();
    expect(proxy.requests).toEqual([`POST http://${webhook.host}${SECRET_PATH}`]);
    await restart({ proxies: { ...by(url), noProxy: '127.0.0.1' } });
    sql('delete from storage_gap;');
    await check();
    expect(proxy.requests).toHaveLength(1);
    expect(newMessages()).toEqual(['gap begun', 'gap over']);
  });
});

describe('a storm', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it('of more than ten packages is one message each when it begins, lasts and is over', async () => {
    const { sql, check, checkAfter, webhook, path } = await openTestNotifier({ packages: ids(12) });
    sql(...ids(11).map((id) => held(id)));
    await check();
    await checkAfter(DAY_MS - 1);
    sql('delete from removal_candidate;');
    execute(path, "update package set walked_at = '2026-03-11 12:00:00';");
    const about = webhook.received.filter(({ event }) => event === 'held_back');
    expect(about).toEqual([
      {
        event: 'held_back',
        state: 'begun',
        severity: 'ticket',
        account: 'main',
        package_id: null,
        url: 'https://pages.test/packages',
        text: '11 packages of main have removals that are held back (1, 2, 3, 8 more)',
        since: NOON,
        details: { count: 11, packages: ids(11).map((id) => ({ package_id: id, since: NOON })) },
      },
    ]);
    sql(...ids(11).map((id) => held(id)));
    await checkAfter(1);
    sql('delete from removal_candidate;');
    await checkAfter(MINUTE_MS);
    const states = webhook.received
      .filter(({ event }) => event === 'held_back')
      .map(({ state, text }) => [state, text]);
    expect(states.slice(1)).toEqual([
      ['reminder', 'Still: 11 packages of main have removals that are held back (1, 2, 3, 8 more)'],
      ['over', 'Over: 11 packages of main have removals that are held back (1, 2, 3, 8 more)'],
    ]);
    expect(
      readValue(path, "select count(*) from incident where kind = 'held_back' and closed_at is not null"),
    ).toBe(11);
  });

  it('does not include ten packages, or packages added to ten later; each of them may be over by itself', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier({ packages: ids(12) });
    sql(...ids(10).map((id) => held(id)));
    await check();
    expect(newMessages()).toHaveLength(10);
    sql(held(11), held(12));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['held_back begun 11', 'held_back begun 12']);
    sql('delete from removal_candidate where package_id = 12;');
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['held_back over 12']);
  });

  it('is reported separately from the storage and from other events', async () => {
    const { sql, check, newMessages } = await openTestNotifier({ packages: ids(11) });
    sql(
      "update package set walked_at = '2026-03-10 01:00:00';",
      "update storage_reading set observed_at = '2026-03-10 01:00:00';",
      held(3),
    );
    await check();
    expect(newMessages()).toEqual(['stale begun', 'stale begun', 'held_back begun 3']);
  });
});
