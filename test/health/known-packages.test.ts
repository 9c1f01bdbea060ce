import { expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { withKnownPackages } from '../../src/health/known-packages.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';

it('takes the packages of an unusable file from the live file, with their own schedules', async () => {
  const { path, clock, warehouse } = await openTestWarehouse();
  const packages = [
    { id: 101, name: 'News' },
    { id: 102, name: null, full: '0 3 * * 0' },
  ];
  transact(warehouse.db, (tx) =>
    registerPackages(tx, [{ name: 'main', packages: [{ id: 102, name: null }] }], clock.now()),
  );
  transact(warehouse.db, (tx) => registerPackages(tx, [{ name: 'main', packages }], clock.now()));
  const config = createTestConfig({ url: 'http://127.0.0.1:1', packages: [] }, path);
  const accounts = config.accounts.map((each): Config['accounts'][number] => ({
    ...each,
    packagesFile: 'packages.csv',
  }));
  const db = openReadOnly(path);
  const known = withKnownPackages({ ...config, accounts }, ['main'], db);
  db.$client.close();
  expect(known.accounts[0]?.packages).toEqual(packages);
});
