import { formatSchemaSql } from '../../src/publishing/targets/postgres/schema.ts';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPostgresTarget } from '../../src/publishing/targets/postgres/postgres-target.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import { digestSchema, openPostgresSite, type TargetDigest } from '../support/fixtures/postgres-site.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { startPostgresProxy, type Passed, type PostgresProxy } from '../support/servers/postgres-proxy.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { transact } from '../../src/database/transaction.ts';
import { renameAccount } from '../../src/warehouse/accounts.ts';

/** Of the steps but COMMIT only every twentieth one is stopped at, others in each run; `VODHOUSE_FULL=1`: all of them. */
const EVERY = process.env['VODHOUSE_FULL'] === '1' ? 1 : 20;
const OFFSET = Math.floor(Math.random() * EVERY);

/** What follows after COMMIT may fail. */
const AFTER_COMMIT = /^goodbye$/;

/** A load from one state of a database to another. */
interface Transition {
  /** The database before it. */
  template: string;
  file: string;
  live: string;
  /** The former name of each account that has one. */
  was: Readonly<Record<string, string>>;
}

/** Loads every account of a file, and the shared tables. Throws the first error. */
async function loadFile(url: string, { file, live, was }: Transition): Promise<void> {
  const source = openSource(file, live);
  const target = openPostgresTarget(createTargetConfig(url), 'eu-1');
  try {
    for (const account of source.accounts)
      await target.load(source, account, { force: null, formerName: was[account] ?? null });
    await target.loadShared(source, false);
  } finally {
    source.close();
  }
}

/** Owners whose state is neither that before nor that after; empty if there are none. */
const findHalfStates = (found: TargetDigest, before: TargetDigest, after: TargetDigest): string[] =>
  [...new Set([found, before, after].flatMap((digest) => Object.keys(digest)))].filter(
    (owner) => found[owner] !== before[owner] && found[owner] !== after[owner],
  );

describe.skipIf(findPostgres() === null)('a load that is stopped', () => {
  const server = postgresForTests();

  const urlOf = (name: string, port = server.port) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let databases = 0;
  async function copyDatabase(template: string): Promise<string> {
    const name = `copy_${++databases}`;
    await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`);
    return name;
  }
  const load = (name: string, transition: Transition, port?: number) =>
    loadFile(urlOf(name, port), transition);

  /** Loads without disturbance. Returns the database, what it has then, and the steps of the load. */
  async function complete(transition: Transition, proxy: PostgresProxy) {
    const name = await copyDatabase(transition.template);
    proxy.arm(null);
    await load(name, transition, proxy.port);
    return { name, steps: proxy.steps(), after: await digestSchema(server, urlOf(name)) };
  }

  /** Cuts the connection at the steps of a load, each time in a new copy of the database. Returns how often. */
  async function cutAtEach(transition: Transition, proxy: PostgresProxy): Promise<number> {
    const { steps, after } = await complete(transition, proxy);
    const before = await digestSchema(server, urlOf(transition.template));
    let count = 0;
    for (const [index, { name: step }] of steps.entries()) {
      const isCommit = step === 'COMMIT';
      if ((index + OFFSET) % EVERY > 0 && !isCommit) continue;
      const parts: readonly Passed[] = isCommit
        ? ['nothing', 'half', 'all']
        : [index % 2 ? 'nothing' : 'all'];
      for (const passed of parts) {
        const context = `step ${index + 1}, ${step}, of which ${passed} reached the server`;
        const name = await copyDatabase(transition.template);
        proxy.arm({ step: index + 1, passed });
        const error = await load(name, transition, proxy.port).then(
          () => null,
          (cause: unknown) => cause,
        );
        proxy.arm(null);
        expect({ context, isReported: error !== null }).toEqual({
          context,
          isReported: !AFTER_COMMIT.test(step),
        });
        const found = await digestSchema(server, urlOf(name));
        expect({ context, halves: findHalfStates(found, before, after) }).toEqual({ context, halves: [] });
        await load(name, transition);
        expect({ context, ...(await digestSchema(server, urlOf(name))) }).toEqual({ context, ...after });
        await server.query(`DROP DATABASE "${name}" WITH (FORCE)`);
        count++;
      }
    }
    return count;
  }

  it('at any step leaves the old rows or the new ones of each account, and the next one completes it', async () => {
    const proxy = await startPostgresProxy(server.port);
    const site = openPostgresSite(server);
    const publish = async (name: string) => {
      await site.publish({ storageAccounts: ['main', 'second', 'renamed'] });
      copyFileSync(site.file, join(site.folder, name));
      return join(site.folder, name);
    };
    site.register([101], ['main', 'second']);
    for (const account of ['main', 'second']) await site.walk([1, 2, 3], { tag: 'a,b' }, account);
    for (const account of ['main', 'second']) site.book({ '2026-02-27': 10 }, account);
    const empty = await copyDatabase('template0');
    await server.query(formatSchemaSql(createTargetConfig(urlOf(empty))), urlOf(empty));
    const { live } = site;
    const first: Transition = { template: empty, file: await publish('first.db'), live, was: {} };
    await site.walk([2, 3, 4], { title: 'new', tag: 'a,c' });
    site.book({ '2026-02-28': 20 });
    transact(site.warehouse.db, (tx) => renameAccount(tx, 'second', 'renamed'));
    site.register([101], ['main', 'renamed']);
    const was = { renamed: 'second' };
    const loaded = await complete(first, proxy);
    const changes: Transition = { template: loaded.name, file: await publish('second.db'), live, was };
    const options = { durationUnit: 's', storageAccounts: ['main', 'renamed'] } as const;
    await site.publish(options);
    const everything: Transition = { ...changes, file: site.file };
    expect(await cutAtEach(first, proxy)).toBeGreaterThan(100 / EVERY);
    expect(await cutAtEach(changes, proxy)).toBeGreaterThan(100 / EVERY);
    expect(await cutAtEach(everything, proxy)).toBeGreaterThan(100 / EVERY);
  });

  it('by a frozen server ends at its deadline, and says so', async () => {
    const site = openPostgresSite(server);
    site.register();
    await site.walk([1, 2]);
    await site.ship();
    await site.walk([1, 2], { title: 'new' });
    await site.publish();
    server.signal('SIGSTOP');
    const changes = { loadTimeoutMs: 1_500 };
    try {
      const { main } = await site.load({}, changes);
      expect(main).toMatchObject({ outcome: 'failed', code: 'ETIMEDOUT' });
      expect(main?.hint).toContain('load_timeout');
    } finally {
      server.signal('SIGCONT');
    }
    expect(await site.load()).toMatchObject({ main: { outcome: 'loaded' } });
    expect(await site.differences()).toEqual([]);
  });
});
