import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/connection.ts';
import { transact } from '../../src/database/transaction.ts';
import { findHighestOpenId, findOpenVideoIds } from '../../src/warehouse/statements/quarantine.ts';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';

const row = (record_id: string | null, more: Record<string, string | number> = {}) =>
  insert('quarantine', {
    account: 'main',
    stream: 'videos',
    package_id: 101,
    record_id,
    reason: 'r',
    raw: '{}',
    seen_at: 'x',
    ...more,
  });

it('has the open ids of a package in a range, in the order of numbers, and the highest one', () => {
  const path = liveFileWith(
    ...['9', '10', '11', '99', '100', '100', '1000', '9007199254740993', 'abc', null].map((id) => row(id)),
    row('12', { resolved_at: 'y' }),
    row('13', { package_id: 102 }),
    row('14', { account: 'second' }),
  );
  const db = openDatabase(path, 0);
  onTestFinished(() => void db.$client.close());
  const find = (low: number, high: number) =>
    transact(db, (tx) => findOpenVideoIds(tx, { account: 'main', packageId: 101 }, { low, high }));
  expect(find(10, 100)).toEqual(['10', '11', '99', '100']);
  expect(find(0, 9)).toEqual(['9']);
  expect(find(101, Number.MAX_SAFE_INTEGER)).toEqual(['1000']);
  expect(find(12, 14)).toEqual([]);
  expect(transact(db, (tx) => findHighestOpenId(tx, { account: 'main', packageId: 101 }))).toEqual({
    id: 1000,
  });
});
