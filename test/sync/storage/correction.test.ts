import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, RefusedError } from '../../../src/lib/errors.ts';
import { FIGURES } from '../../../src/service/service-fields.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { openStorageAccount } from '../../support/servers/storage-account.ts';
import { transact } from '../../../src/database/transaction.ts';
import { correctDay } from '../../../src/warehouse/store-days.ts';

const NOON = '2026-03-10T03:00Z';
const DATE = '2026-03-09';
const OPEN = 'select distinct date, booked, observed from storage_discrepancy where resolved_at is null';
const { signal } = new AbortController();

/** An account with 2026-03-09 booked as 5, for which the service returns 6 now. */
async function openDiffering() {
  const state = { figure: 5, off: 0, record: (row: Record<string, unknown>): typeof row | null => row };
  const clock = createVirtualClock(NOON);
  const account = await openStorageAccount({
    clock,
    answer: ({ days }) =>
      days
        .map((day) => state.record(storageRecord(day, day === DATE ? state.figure : 5)))
        .filter((row) => row !== null),
    date: () => clock.now() + state.off,
  });
  await account.runAt(NOON);
  state.figure = 6;
  const named = { streams: ['storage' as const], storageDays: { from: DATE, to: DATE } };
  await account.runAt('2026-03-10T03:05Z', named);
  const offer = () => account.pipeline.readCorrection('main', DATE, signal);
  const accept = async (reason = 'they said so') => {
    const { observed: row } = await offer();
    const acceptedAt = account.clock.now();
    transact(account.pipeline.warehouse.db, (tx) =>
      correctDay(tx, { account: 'main', row, acceptedAt, reason }),
    );
  };
  return { account, state, named, offer, accept };
}

describe('a correction', () => {
  it('stores the figures of the service, retains the booked row, and ends the discrepancy', async () => {
    const { account, state, offer, accept } = await openDiffering();
    expect(account.rows(OPEN)).toEqual([{ date: DATE, booked: 5, observed: 6 }]);
    expect(await offer()).toMatchObject({
      booked: { mov_org_cnt: 5 },
      corrected: null,
      observed: { date: DATE, mov_org_cnt: 6 },
      differing: FIGURES,
    });
    await accept();
    expect(
      account.rows('select date, accepted_at, mov_org_cnt, image_size, reason from storage_correction'),
    ).toEqual([
      {
        date: DATE,
        accepted_at: '2026-03-10 03:05:00',
        mov_org_cnt: 6,
        image_size: 6,
        reason: 'they said so',
      },
    ]);
    expect(account.days()[0]).toEqual([DATE, 'booked', 5]);
    expect(account.rows(OPEN)).toEqual([]);
    expect((await offer()).differing).toEqual([]);
    state.record = (row) => ({ ...row, image_size: 7 });
    expect((await offer()).differing).toEqual(['image_size']);
    expect(account.rows("select count(*) as n from request where purpose = 'storage'")).toEqual([{ n: 6 }]);
  });

  it('is compared with later responses', async () => {
    const { account, state, named, accept } = await openDiffering();
    await accept();
    await account.runAt('2026-03-10T03:06Z', named);
    expect(account.rows(OPEN)).toEqual([]);
    state.figure = 5; // back at the booked figure: readers see the corrected one
    await account.runAt('2026-03-10T03:07Z', named);
    expect(account.rows(OPEN)).toEqual([{ date: DATE, booked: 6, observed: 5 }]);
    await accept();
    await accept(); // within the same second
    expect(
      account.rows('select accepted_at, mov_org_cnt from storage_correction order by accepted_at'),
    ).toEqual([
      { accepted_at: '2026-03-10 03:05:00', mov_org_cnt: 6 },
      { accepted_at: '2026-03-10 03:07:00', mov_org_cnt: 5 },
      { accepted_at: '2026-03-10 03:07:01', mov_org_cnt: 5 },
    ]);
  });

  it('is rejected for an account whose storage left the config', async () => {
    const { account } = await openDiffering();
    account.close();
    const { clock, file } = account;
    const sizes = { packages: [], pageSize: 10, concurrency: 2, removalBrake: 0.2 };
    const { pipeline } = openTestPipeline({
      ...sizes,
      clock,
      folder: dirname(file),
      url: 'http://127.0.0.1',
    });
    const offer = pipeline.readCorrection('main', DATE, signal);
    await expect(offer).rejects.toThrow(ConfigError);
    await expect(offer).rejects.toThrow('account main has no storage statistics');
  });

  it('is rejected for a day that is not booked, and for incomplete figures of the service', async () => {
    const { account, state, offer } = await openDiffering();
    const read = (name: string, date: string) => account.pipeline.readCorrection(name, date, signal);
    await expect(read('main', '2026-03-10')).rejects.toThrow(ConfigError);
    await expect(read('main', '2020-01-01')).rejects.toMatchObject({
      message: '2020-01-01 of account main is not booked: there is nothing to correct',
      hint: expect.stringContaining('vodhouse status') as string,
    });
    state.record = (row) => ({ ...row, image_size: null });
    await expect(offer()).rejects.toThrow('the record is incomplete: no figure for image_size');
    state.record = (row) => ({ ...row, date: '2026-03-01' });
    await expect(offer()).rejects.toThrow('the record is outside the range asked for');
    state.record = () => null;
    await expect(offer()).rejects.toMatchObject({
      message: `account main, ${DATE}: the service returns no record of it`,
      fault: 'shape',
      hint: 'nothing was corrected; try again later',
    });
    state.record = () => ({});
    await expect(offer()).rejects.toThrow(RefusedError);
    state.record = (row) => row;
    state.off = 3 * 86_400_000;
    await expect(offer()).rejects.toMatchObject({
      message: "account main: the machine's clock is 3 days behind the service's",
      hint: "set the machine's clock first",
    });
    expect(account.rows('select * from storage_correction')).toEqual([]);
  });

  it.each([
    ['UPDATE', `update storage_correction set mov_org_cnt = 1`],
    ['DELETE', `delete from storage_correction`],
    [
      'INSERT OR REPLACE',
      `insert or replace into storage_correction (account, date, accepted_at, reason) select account, date, accepted_at, 'x' from storage_correction`,
    ],
    [
      'INSERT for a day that is not booked',
      `insert into storage_correction (account, date, accepted_at, reason) values ('main', '2026-03-10', '2026-03-10 00:00:00', 'x')`,
    ],
  ])('is protected by the file itself against %s', async (_what, statement) => {
    const { account, accept } = await openDiffering();
    await accept();
    expect(() => execute(account.file, statement)).toThrow('a correction is added to a booked day');
  });
});
