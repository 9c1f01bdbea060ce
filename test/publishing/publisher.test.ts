import { dirname, join } from 'node:path';
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { ConfigError, InterruptedError, LockedError } from '../../src/lib/errors.ts';
import { tryLock } from '../../src/database/lock.ts';
import type { PublishRequest } from '../../src/publishing/publish-request.ts';
import { publish } from '../../src/publishing/publish.ts';
import { publishedFact } from '../../src/publishing/about-rows.ts';
import { createPublisher, type Publisher } from '../../src/publishing/publisher.ts';
import {
  change,
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { createPublishRequest } from '../support/fixtures/published-file.ts';

vi.setConfig({ testTimeout: 30_000 });

const NOW = Date.parse('2026-03-10T03:00:00Z');
const never = new AbortController().signal;
const isDue = (publisher: Publisher, now = NOW) => publisher.dueAt(now) === now;
const reading = (at: string, row = {}) =>
  insert('storage_reading', { account: 'main', date: '2026-03-10', observed_at: at, ...row });
const live = () =>
  liveFileWith(
    reading('2026-03-10 01:00:00'),
    packageRow(101, { walked_at: '2026-03-10 01:00:00' }),
    videoRow(1),
    storageRow('2026-03-10', 5, { state: 'live', observed_at: '2026-03-10 01:00:00' }),
    storageRow('2026-03-07', 5),
    insert('storage_gap', {
      account: 'main',
      date: '2026-03-06',
      first_missed_at: '2026-03-09 01:00:00',
      last_requested_at: '2026-03-09 01:00:00',
    }),
    insert('storage_discrepancy', {
      account: 'main',
      date: '2026-03-07',
      field: 'image_size',
      observed_at: '2026-03-09 01:00:00',
    }),
  );

describe('a publisher', () => {
  it('publishes in a separate process, and returns the result', async () => {
    const target = createPublishRequest(live());
    const publication = await createPublisher(target).publish(NOW, never);
    expect(publication).toMatchObject({
      file: target.file,
      bytes: statSync(target.file).size,
      rows: { all_videos: 1, videos: 1 },
    });
    expect(publishedFact(target.file, 'published_at')).toBe('2026-03-10 03:00:00');
  });

  it('passes on an error of the other process, with its hint', async () => {
    const target = createPublishRequest(live());
    const lock = tryLock(target.live, 'publish', 'publish', NOW);
    await expect(createPublisher(target).publish(NOW, never)).rejects.toThrow(LockedError);
    lock?.release();
    const missing = { ...target, live: join(dirname(target.live), 'gone.db') };
    await expect(createPublisher(missing).publish(NOW, never)).rejects.toMatchObject({
      name: 'WarehouseError',
      hint: 'vodhouse sync makes it',
    });
  });

  it('stops immediately on its signal, and does not change the old file', async () => {
    const target = createPublishRequest(live());
    const publisher = createPublisher(target);
    await publisher.publish(NOW, never);
    const before = statSync(target.file).ino;
    const controller = new AbortController();
    const ended = publisher.publish(NOW + 60_000, controller.signal);
    controller.abort(new InterruptedError('stopped by the test'));
    await expect(ended).rejects.toThrow('stopped by the test');
    expect(statSync(target.file).ino).toBe(before);
    await expect(publisher.publish(NOW, controller.signal)).rejects.toThrow(InterruptedError);
  });

  it('reports a conflicting file at its path only when it publishes', async () => {
    const target = createPublishRequest(live());
    writeFileSync(target.file, 'my own notes');
    const publisher = createPublisher(target);
    expect(isDue(publisher, NOW)).toBe(true);
    await expect(publisher.publish(NOW, never)).rejects.toMatchObject({
      name: 'ConfigError',
      message: `publish.file: ${target.file} exists, and vodhouse did not publish it; nothing was changed`,
    });
    expect(readFileSync(target.file, 'utf8')).toBe('my own notes');
  });

  it('rejects columns that cannot be left out before any other work', () => {
    const target = createPublishRequest(live());
    expect(() => createPublisher({ ...target, exclude: ['id'] })).toThrow(ConfigError);
  });
});

describe('a publication is due', () => {
  /** Publishes, changes the live file, and checks again. */
  async function isDueAfter(...statements: string[]) {
    const target = createPublishRequest(live());
    const publisher = createPublisher(target);
    expect(isDue(publisher, NOW)).toBe(true);
    await publish(target);
    expect(isDue(publisher, NOW)).toBe(false);
    return statements.map((statement) => {
      const copy = `${target.live}-copy`;
      rmSync(copy, { force: true });
      copyFileSync(target.live, copy);
      execute(copy, statement);
      return isDue(createPublisher({ ...target, live: copy }));
    });
  }

  it('when a change would be visible to a reader', async () => {
    const day = { account: 'main', date: '2026-03-08' };
    const booked = { account: 'main', date: '2026-03-07' };
    const stamps = { first_missed_at: '2026-03-10 01:00:00', last_requested_at: '2026-03-10 01:00:00' };
    const refused = { account: 'main', stream: 'storage', record_id: '2026-03-08', reason: 'x', raw: '' };
    const statements = [
      `${change(1, '2026-03-10 02:00:00', "title = 'New'")} update warehouse_state set change_seq = 99;`,
      "update storage_day set image_count = 11 where state = 'live';",
      storageRow('2026-03-09', 4),
      insert('storage_gap', { ...day, ...stamps }),
      "update storage_gap set reason = 'incomplete';",
      insert('storage_unconfirmed', { ...day, reason: 'x', observed_at: '2026-03-10 01:00:00' }),
      insert('storage_correction', { ...booked, accepted_at: '2026-03-10 02:00:00', reason: 'x' }),
      "update storage_discrepancy set resolved_at = '2026-03-10 02:00:00';",
      insert('storage_discrepancy', { ...day, field: 'image_size', observed_at: '2026-03-10 01:00:00' }),
      insert('quarantine', { ...refused, seen_at: '2026-03-10 01:00:00' }),
      // a reading between two equal ones: the live row is unchanged
      reading('2026-03-10 02:00:00', { image_count: 7 }) + reading('2026-03-10 02:30:00'),
      "update package set name = 'Other';",
      packageRow(102),
      "update package set retired_at = '2026-03-10 02:00:00';",
      "update package set first_walked_at = '2026-03-10 02:00:00';",
      "update warehouse_state set restored_at = '2026-03-10 02:00:00';",
    ];
    const areDue = await isDueAfter(...statements);
    expect(statements.filter((_, index) => !areDue[index])).toEqual([]);
  });

  it('not when a run found no change', async () => {
    const checks = [
      "update package set walked_at = '2026-03-10 02:00:00', compared_at = '2026-03-10 02:00:00';",
      "update storage_day set observed_at = '2026-03-10 02:00:00' where state = 'live';",
      insert('storage_reading', { account: 'main', date: '2026-03-10', observed_at: '2026-03-10 02:00:00' }),
      insert('storage_reading', { account: 'main', date: '2026-03-10', observed_at: '2026-03-10 02:30:00' }),
      insert('run', {
        trigger: 'manual',
        mode: 'full',
        status: 'succeeded',
        started_at: '2026-03-10 02:00:00',
      }),
    ];
    expect(await isDueAfter(checks.join('\n'))).toEqual([false]);
  });

  it('for a manual command, not yet because a new day began', async () => {
    const target = createPublishRequest(live());
    await publish(target);
    const publisher = createPublisher(target);
    const nextDay = Date.parse('2026-03-10T15:00:00Z');
    expect([isDue(publisher, nextDay), publisher.isBehind(nextDay)]).toEqual([true, false]);
    execute(target.live, "update package set name = 'Other'");
    expect(publisher.isBehind(nextDay)).toBe(true);
  });

  it('only after the configured interval since the last publication, except for the first one of a day', async () => {
    const target = { ...createPublishRequest(live()), everyMs: 3_600_000 };
    const publisher = createPublisher(target);
    expect(publisher.dueAt(NOW)).toBe(NOW);
    await publish(target);
    expect(publisher.dueAt(NOW + 60_000)).toBeNull();
    execute(target.live, "update package set name = 'Other'");
    const due = NOW + 3_600_000;
    expect([NOW + 60_000, due, due + 1].map((now) => publisher.dueAt(now))).toEqual([due, due, due + 1]);
    expect([due - 1, due].map((now) => isDue(publisher, now))).toEqual([false, true]);
    expect(publisher.dueAt(NOW - 60_000)).toBe(NOW - 60_000); // with a clock that was set back
    await publish({ ...target, now: Date.parse('2026-03-10T14:59:00Z') });
    const midnight = Date.parse('2026-03-10T15:00:00Z'); // in Seoul
    expect(publisher.dueAt(midnight)).toBe(midnight);
  });

  it('when the day or the config is another one', async () => {
    const target = createPublishRequest(live());
    await publish(target);
    const isDueWith = (other: Partial<PublishRequest>, now = NOW) =>
      isDue(createPublisher({ ...target, ...other }), now);
    expect(isDueWith({}, Date.parse('2026-03-10T14:59:59Z'))).toBe(false);
    expect(isDueWith({}, Date.parse('2026-03-10T15:00:00Z'))).toBe(true); // the 11th in Seoul
    const others = [
      { exclude: [] },
      { tagSeparators: ['|'] },
      { timezone: 'UTC' },
      { durationUnit: 's' as const },
      { version: '2.0.0' },
    ];
    expect(others.map((other) => isDueWith(other))).toEqual([true, true, true, true, true]);
  });
});
