/** Readers that have the file open when the next one replaces it. */
import { beforeAll, expect, it } from 'vitest';
import { DRIVERS, requireDrivers, type Reader } from './drivers.ts';
import { openHardAccount, type HardAccount } from './hard-account.ts';

let account: HardAccount;

beforeAll(async () => {
  requireDrivers();
  account = await openHardAccount();
  return () => account.close();
});

const CONTENT = `select package_key, video_id, change_seq, valid_from, valid_to, title from video_versions
  order by video_key, version_number`;

const PUBLISHED_AT = `select value from about where key = 'published_at'`;

const queryAll = (readers: readonly Reader[], sql: string) =>
  Promise.all(readers.map(async (reader) => (await reader.query(sql)).rows));

const openAll = () => DRIVERS.map((driver) => driver.open(account.file, account.scripts));
const closeAll = (readers: readonly Reader[]) => Promise.all(readers.map((reader) => reader.close()));
const ofEach = <T>(value: T): T[] => DRIVERS.map(() => value);

it('a reader uses the old file until it opens again, and then gets the new one', async () => {
  const witnesses = openAll();
  const [old = []] = await queryAll(witnesses, CONTENT);
  await closeAll(witnesses);
  const readers = openAll();
  expect(await queryAll(readers, PUBLISHED_AT)).toEqual(ofEach([['2026-03-16 03:00:00']]));

  account.service.editAgain();
  await account.syncAndPublish('2026-03-17T03:00:00Z');
  // no reader has read these pages before: their rows come from the file that it has open
  expect(await queryAll(readers, CONTENT)).toEqual(ofEach(old));
  expect(await queryAll(readers, PUBLISHED_AT)).toEqual(ofEach([['2026-03-16 03:00:00']]));

  await Promise.all(readers.map((reader) => reader.reopen()));
  expect(await queryAll(readers, PUBLISHED_AT)).toEqual(ofEach([['2026-03-17 03:00:00']]));
  const [content = [], ...others] = await queryAll(readers, CONTENT);
  expect(others).toEqual(others.map(() => content));
  expect(content).not.toEqual(old);
  expect(content).toContainEqual(expect.arrayContaining(['main/101', '12', 'round 3']));
  await closeAll(readers);
});
