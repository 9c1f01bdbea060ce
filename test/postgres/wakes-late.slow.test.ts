import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLeases, assertNotAllHeld } from '../../src/app/leases.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { LockedError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(findPostgres() === null)('a worker', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** Two workers on the same warehouse, as if its data folder had been copied. */
  async function startTwo() {
    const url = await server.createDatabase();
    const { warehouse, clock, path } = await openTestWarehouse();
    const events: string[] = [];
    const write = (line: string) => void events.push((JSON.parse(line) as { event: string }).event);
    const logger = createLogger({ level: 'info', format: 'json', secrets: [], write });
    const open = (worker: string, exclusive = true) => {
      const { publish, ...config } = createTestConfig({ url: 'http://127.0.0.1:1' }, path);
      expect(publish).toBe(null);
      const targets = [createTargetConfig(url, { exclusive })];
      const published = { file: 'out.db', exclude: [], everyMs: 0, mode: 0o444, keepDays: 0, targets };
      return createLeases({
        config: { ...config, worker, publish: published },
        warehouse,
        clock,
        logger,
      });
    };
    const endLeases = () =>
      server.query(`UPDATE vodhouse.vodhouse_account SET lease_until = now() - interval '1 second'`, url);
    const epoch = async () =>
      (await server.query<{ epoch: string }>('SELECT epoch FROM vodhouse.vodhouse_account', url))[0]?.epoch;
    const isHeld = async () =>
      (await server.query('SELECT lease_until > now() AS held FROM vodhouse.vodhouse_account', url))[0];
    const workers = { one: open('eu-1'), other: open('eu-2'), open };
    return { ...workers, clock, events, warehouse, endLeases, epoch, isHeld, url };
  }

  it('that wakes after its lease finds its account held, and has it back when that lease ends', async () => {
    const { one, other, clock, events, warehouse, endLeases, epoch } = await startTwo();
    expect(await one.findHeld()).toEqual(new Map());
    expect((await other.findHeld()).get('main')?.reason).toMatch(
      /^account main is held by eu-1 until \d\d:\d\d UTC$/,
    );
    expect(await epoch()).toBe('1');
    await endLeases(); // the first one sleeps for ten minutes
    clock.advance(2 * MINUTE_MS);
    expect(await other.findHeld()).toEqual(new Map());
    expect(await epoch()).toBe('2');
    const held = await one.findHeld();
    expect(held.get('main')?.reason).toContain('held by eu-2');
    expect(() => assertNotAllHeld({ accounts: [{ name: 'main' }] as never }, held)).toThrow(LockedError);
    expect(warehouse.listTargetLoads()).toMatchObject([
      { account: 'main', outcome: 'held', held_by: 'eu-2' },
    ]);
    await other.release();
    clock.advance(2 * MINUTE_MS);
    expect(await one.findHeld()).toEqual(new Map());
    expect(events).toEqual([
      'target_account_not_synced',
      'target_account_claimed',
      'target_account_not_synced',
      'target_account_claimed',
    ]);
  });

  it('keeps its leases where its target is not exclusive, and syncs what others hold', async () => {
    const { open, clock, events, warehouse, endLeases, epoch, isHeld } = await startTwo();
    const [one, other] = [open('eu-1', false), open('eu-2', false)];
    await one.findHeld();
    await endLeases(); // no run for ten minutes
    clock.advance(2 * MINUTE_MS);
    await one.renewIfDue();
    expect(await isHeld()).toEqual({ held: true });
    expect(await other.findHeld()).toEqual(new Map());
    expect([await epoch(), events, warehouse.listTargetLoads()]).toEqual(['1', [], []]);
    await other.release();
    expect(await isHeld()).toEqual({ held: true });
    await one.release();
    expect(await isHeld()).toEqual({ held: false });
  });

  it('claims again at once after a load found its account taken', async () => {
    const { one, other, clock, endLeases } = await startTwo();
    await one.findHeld();
    await endLeases();
    await other.findHeld();
    expect(await one.findHeld()).toEqual(new Map()); // not yet known
    one.distrust();
    expect((await one.findHeld()).has('main')).toBe(true);
    clock.advance(MINUTE_MS);
  });

  it('keeps an account from itself while the target is down, until that lease would have ended', async () => {
    const { one, other, clock } = await startTwo();
    await one.findHeld();
    expect((await other.findHeld()).size).toBe(1);
    await server.stop();
    clock.advance(3 * MINUTE_MS);
    expect((await other.findHeld()).size).toBe(1);
    clock.advance(24 * 60 * MINUTE_MS * 365 * 2); // the clock of the test is in the past
    expect((await other.findHeld()).size).toBe(0);
    await server.start();
  });
});
