import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnedError } from '../../src/publishing/targets/ownership.ts';
import { openPostgresTarget } from '../../src/publishing/targets/postgres/postgres-target.ts';
import { digestSchema, openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('an account of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function openLoaded(options: Parameters<typeof openPostgresSite>[1] = {}) {
    const site = openPostgresSite(server, options);
    site.register();
    await site.walk([1, 2]);
    await site.publish();
    return site;
  }

  const refused = (work: Promise<unknown>) => expect(work).rejects.toThrow(OwnedError);

  it('of another warehouse is refused and unchanged, until a person lets it take it over', async () => {
    const one = await openLoaded();
    const two = await openLoaded({ schema: one.schema });
    await one.load();
    await two.walk([1, 2, 3]);
    await two.publish();
    const before = await digestSchema(server, server.url, one.schema);
    await refused(two.load());
    await refused(two.load({ force: { main: 'rebuild' } }));
    expect(await digestSchema(server, server.url, one.schema)).toEqual(before);
    expect(await two.load({ force: { main: 'take-over' } })).toMatchObject({ main: { kind: 'all' } });
    const differences = await two.differences(); // the walks of both warehouses are there
    expect(differences).toEqual([]);
    await refused(one.load());
    await two.walk([1, 2, 3], { title: 'new' });
    expect(await two.ship()).toMatchObject({ main: { kind: 'changes' } });
    const accounts = await openPostgresTarget(one.config, '').readAccounts();
    expect([...accounts.keys()]).toEqual(['main']);
    expect(accounts.get('main')).toMatchObject({ worker: two.worker, changeSeq: 6 });
    expect(await openPostgresTarget(one.config, '').countVideos('main')).toBe(3);
  });

  it('is not loaded from an older copy of the file, nor from a copy that runs elsewhere, until it is rebuilt', async () => {
    const site = await openLoaded();
    const old = join(site.folder, 'old.db');
    copyFileSync(site.file, old);
    await site.load();
    const copy = openPostgresSite(server, { data: site.folder, schema: site.schema });
    await site.walk([1, 2, 3]);
    await site.ship();
    await refused(site.load({ file: old }));
    await copy.walk([1]);
    await copy.publish();
    await refused(copy.load());
    expect(await copy.load({ force: { main: 'rebuild' } })).toMatchObject({ main: { kind: 'all' } });
    expect(await copy.differences()).toEqual([]);
    await site.publish();
    await refused(site.load());
    expect(await site.load({ force: { main: 'rebuild' } })).toMatchObject({ main: { kind: 'all' } });
    expect(await site.differences()).toEqual([]);
  });

  it('of another warehouse is not removed, nor is its former name', async () => {
    const one = await openLoaded();
    await one.load();
    const two = openPostgresSite(server, { schema: one.schema });
    two.register([101], ['other']);
    await two.walk([1], {}, 'other');
    await two.publish();
    const loads = await two.load({ formerNames: { other: 'main' } });
    expect(loads).toMatchObject({ main: { kind: 'nothing' }, other: { kind: 'all' } });
    expect(await one.differences()).toEqual([]);
  });

  it('is not there before the first load: no schema, no accounts, no rows', async () => {
    const target = openPostgresTarget(openPostgresSite(server).config, '');
    expect(await target.readAccounts()).toEqual(new Map());
    expect(await target.countVideos('main')).toBe(0);
  });
});
