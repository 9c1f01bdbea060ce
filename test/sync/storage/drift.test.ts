import { describe, expect, it } from 'vitest';
import { classifyDays } from '../../../src/sync/storage/classify-days.ts';
import { sortContext } from '../../support/fixtures/storage-days.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import { everyDay, openStorageAccount, type DayQuery } from '../../support/servers/storage-account.ts';

const NOON = '2026-03-10T03:00Z';
const DRIFT = 'select field, kind, sample, first_seen_at, last_seen_at from drift order by field, kind';

/** Every day, with members added to each record, or removed where they are undefined. */
const withMembers = (members: Record<string, unknown>) => (query: DayQuery) =>
  everyDay(() => 5)(query).map((record) => ({ ...record, ...members }));

/** Makes every further row of the table fail. */
const breakTable = (path: string, table: string) =>
  execute(
    path,
    `create trigger broken before insert on ${table} begin select raise(abort, 'broken by the test'); end`,
  );

describe('storage days', () => {
  it('are stored with their drift: fields that are new, missing, or of another type', async () => {
    const account = await openStorageAccount({
      rules: { optional: ['image_size'] },
      answer: ({ days }) =>
        days.map((day) => {
          const members = `"encoder_cnt":"16","__proto__":{"a":[1]},"note":${JSON.stringify(`of ${day}`)}`;
          const record = { ...storageRecord(day, 5), image_size: undefined };
          return JSON.stringify(record).replace('"encoder_cnt":5', members);
        }),
    });
    expect(await account.runAt(NOON)).toMatchObject({ storage: [{ booked: 1, live: true, quarantined: 0 }] });
    const moment = { first_seen_at: '2026-03-10 03:00:00', last_seen_at: '2026-03-10 03:00:00' };
    expect(account.rows(DRIFT)).toEqual([
      { field: '__proto__', kind: 'new', sample: '{"a":[1]}', ...moment },
      { field: 'encoder_cnt', kind: 'type', sample: '"16"', ...moment },
      { field: 'image_size', kind: 'missing', sample: null, ...moment },
      { field: 'note', kind: 'new', sample: '"of 2026-03-09"', ...moment },
    ]);
    expect(account.rows('select distinct account, stream from drift')).toEqual([
      { account: 'main', stream: 'storage' },
    ]);
  });

  it.each(['storage_reading', 'drift'])(
    'and their drift are stored together or not at all: %s',
    async (table) => {
      const account = await openStorageAccount({ answer: withMembers({ note: 'n' }) });
      breakTable(account.file, table);
      await account.runAt(NOON).catch(() => undefined);
      expect(account.requestedRanges).toHaveLength(1);
      expect([account.days(), account.rows(DRIFT)]).toEqual([[], []]);
      execute(account.file, 'drop trigger broken');
      await account.runAt('2026-03-10T04:00Z');
      expect([account.days().length, account.rows(DRIFT).length]).toEqual([2, 1]);
    },
  );
});

describe('drift of storage days', () => {
  it('is resolved by the third day on which today came without it', async () => {
    let hasNote = true;
    let hasToday = true;
    const account = await openStorageAccount({
      answer: (query) => withMembers(hasNote ? { note: 'n' } : {})(query).slice(0, hasToday ? undefined : 0),
    });
    const absentAt = async (moment: string) => {
      await account.runAt(moment);
      return account.rows('select absent_walks, resolved_at is not null as is_resolved from drift')[0];
    };
    await account.runAt(NOON);
    hasNote = false;
    expect(await absentAt('2026-03-11T03:00Z')).toEqual({ absent_walks: 1, is_resolved: 0 });
    expect(await absentAt('2026-03-11T09:00Z')).toEqual({ absent_walks: 1, is_resolved: 0 });
    hasToday = false;
    expect(await absentAt('2026-03-12T03:00Z')).toEqual({ absent_walks: 1, is_resolved: 0 });
    hasToday = true;
    expect(await absentAt('2026-03-13T03:00Z')).toEqual({ absent_walks: 2, is_resolved: 0 });
    expect(await absentAt('2026-03-14T03:00Z')).toEqual({ absent_walks: 3, is_resolved: 1 });
  });
});

describe('the secrets of a response', () => {
  it('are removed from its drift', () => {
    const record = { ...storageRecord('2026-03-10'), secret_name: 'a secret' };
    const answer = {
      records: [JSON.stringify(record)],
      answeredAt: 0,
      redact: (text: string) => text.replaceAll('secret', '[key]'),
    };
    const { drift } = classifyDays(answer, sortContext({ now: 0 }));
    expect(drift).toEqual([{ field: '[key]_name', kind: 'new', sample: '"a [key]"' }]);
  });
});
