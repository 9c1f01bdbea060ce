import { describe, expect, it } from 'vitest';
import { readValue } from '../support/fixtures/live-file.ts';
import { gap, held, NOON, openTestNotifier, READ_LATER } from '../support/fixtures/open-notifier.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';

describe('a reminder', () => {
  it('is sent each time the interval since the last message has passed, with the current values', async () => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier({
      notify: { remindAfterMs: 30 * MINUTE_MS },
    });
    sql(held(101));
    await check();
    await checkAfter(29 * MINUTE_MS);
    expect(newMessages()).toEqual(['held_back begun 101']);
    sql('update removal_candidate set held_by = 9;');
    await checkAfter(MINUTE_MS);
    await checkAfter(29 * MINUTE_MS);
    expect(newMessages()).toEqual(['held_back reminder 101']);
    expect(webhook.received[1]?.text).toMatch(
      /^Still: main\/101: 1 removal held back, .* --accept-removals walk:9 /,
    );
    expect(webhook.received[1]?.since).toBe(NOON);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['held_back reminder 101']);
    sql('delete from removal_candidate;');
    await checkAfter(30 * MINUTE_MS);
    expect(newMessages()).toEqual(['held_back over 101']);
  });

  it('is never sent where the config turns it off', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier({
      notify: { remindAfterMs: null },
    });
    sql(gap('2026-03-08'), READ_LATER);
    await check();
    await checkAfter(300 * DAY_MS);
    expect(newMessages()).toEqual(['gap begun']);
  });

  it('is not sent while the webhook is down: the interval counts from the last delivery', async () => {
    const { sql, check, checkAfter, newMessages, webhook, path } = await openTestNotifier();
    sql(READ_LATER, gap('2026-03-08'));
    webhook.answer(500);
    await check();
    for (let days = 0; days < 3; days++) await checkAfter(DAY_MS);
    expect(readValue(path, 'select count(*) from incident')).toBe(1);
    webhook.answer(200);
    await checkAfter(HOUR_MS);
    await checkAfter(DAY_MS - MINUTE_MS);
    expect(newMessages()).toEqual(['gap begun']);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['gap reminder']);
  });
});

describe('a reminder that was not delivered', () => {
  it('is not sent after its incident is over', async () => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier();
    sql(gap('2026-03-08'), READ_LATER);
    await check();
    webhook.answer(500);
    await checkAfter(DAY_MS);
    sql('delete from storage_gap;');
    webhook.answer(200);
    await checkAfter(30_000);
    expect(newMessages()).toEqual(['gap begun', 'gap over']);
  });

  it('is sent again for what lasts, where part of the incident is over', async () => {
    const packages = Array.from({ length: 12 }, (_, index) => index + 1);
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier({ packages });
    sql(...packages.map((id) => held(id)), READ_LATER);
    await check();
    webhook.answer(500);
    await checkAfter(DAY_MS);
    sql('delete from removal_candidate where package_id = 12;');
    webhook.answer(200);
    await checkAfter(30_000);
    expect(newMessages()).toEqual(['held_back begun', 'held_back reminder', 'held_back over 12']);
    expect(webhook.received[1]?.details).toMatchObject({ count: 11 });
  });
});

describe('a clock that was ahead', () => {
  it('delays neither deferred messages nor those that a dead process had claimed', async () => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier();
    webhook.answer(500);
    sql(gap('2026-03-08'), held(101), READ_LATER);
    await check();
    webhook.answer(200);
    await checkAfter(-DAY_MS);
    expect(newMessages().sort()).toEqual(['gap begun', 'held_back begun 101']);
  });

  it('delays no reminder', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier();
    sql(gap('2026-03-08'), READ_LATER);
    await check();
    await checkAfter(-9 * DAY_MS);
    await checkAfter(DAY_MS - MINUTE_MS);
    expect(newMessages()).toEqual(['gap begun', 'gap reminder']);
  });

  it('does not extend the grace period of a worker', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier({ caughtUp: false });
    sql(gap('2026-03-08'), READ_LATER);
    await check();
    expect(newMessages()).toEqual([]);
    await checkAfter(-DAY_MS);
    expect(newMessages()).toEqual(['gap begun']);
  });
});
