import { describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { getStorage } from '../support/servers/plain-catalogue.ts';
import { createMirrored } from '../support/servers/mirrored-warehouse.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

const KEY = 'test-key';

/** A sandbox, and a warehouse that was synced from it and is served back. */
async function openBoth() {
  const clock = createVirtualClock('2026-03-10T03:00:00Z');
  const packages = [{ id: 101, videos: 1 }];
  const sandbox = createSandbox({ clock, packages, keys: [KEY], storageAuth: 'query' });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const options = { clock, since: '2026-03-05', packages: [101], pageSize: 50 };
  const mirrored = createMirrored({ url, ...options, storageAuth: 'query', server: { keys: [KEY] } });
  expect((await mirrored.sync()).status).toBe('succeeded');
  return { sandbox: url, mirror: await mirrored.serve() };
}

const DAYS: [query: string, days: number, message: string][] = [
  ['sdate=2026-03-05&edate=2026-03-09', 5, 'success'],
  ['sdate=2026-03-05&edate=2026-03-09&sort_direction=desc', 5, 'success'],
  ['sdate=2026-03-09&edate=2026-03-05', 0, 'success'],
  ['sdate=2026-03-11&edate=2026-03-20', 0, 'success'],
  ['sdate=2026-03-05', 0, 'edate: is missing'],
  ['sdate=2026-02-30&edate=2026-03-05', 0, 'sdate: "2026-02-30" is not a calendar date yyyy-mm-dd'],
  ['key=wrong&sdate=2026-03-05&edate=2026-03-09', 0, 'the key is missing or unknown'],
];

describe('storage', () => {
  it('is the same from sandbox and warehouse, also where docs/service.md leaves that open', async () => {
    const { sandbox, mirror } = await openBoth();
    for (const [query, days, message] of DAYS) {
      const { body } = await getStorage(mirror, `${query}&key=${KEY}`);
      expect(body.message, query).toBe(message);
      expect(body.data.list, query).toHaveLength(days);
      expect(body, query).toEqual((await getStorage(sandbox, `${query}&key=${KEY}`)).body);
    }
  });

  it('has the last reading of today from the warehouse, and no unknown day', async () => {
    const { mirror } = await openBoth();
    const { body } = await getStorage(mirror, `sdate=2026-03-01&edate=2026-03-31&key=${KEY}`);
    const days = ['05', '06', '07', '08', '09', '10'].map((day) => `2026-03-${day}`);
    expect(body.data.list.map(({ date }) => date)).toEqual(days);
  });
});
