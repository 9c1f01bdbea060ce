import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

interface Document {
  summary: string;
  needs_attention: boolean;
  workers: { worker: string; accounts: Record<string, unknown>[] }[];
}

describe.skipIf(findPostgres() === null)('vodhouse fleet', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(
      {},
      {
        hba: ['host all guarded 127.0.0.1/32 scram-sha-256', 'hostnossl all sealed 127.0.0.1/32 reject'],
      },
    );
    await server.query(
      `CREATE ROLE guarded LOGIN PASSWORD 'right'; CREATE ROLE stranger LOGIN; CREATE ROLE sealed LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE glance LOGIN`,
    );
  });
  afterAll(() => server.remove());

  const run = (url: string, ...words: string[]) =>
    vodhouse(['fleet', '--postgres', url, ...words], { cwd: temporaryFolder() });
  const as = (user: string) => server.url.replace('postgres@', `${user}@`);

  /** Two workers, `eu-1` with two accounts and `eu-2` with one. */
  async function openFleet() {
    const now = new Date().toISOString();
    const one = openTargetSite(server, { worker: 'eu-1', start: now });
    one.register([101], ['main', 'second']);
    for (const account of ['main', 'second']) await one.walk([1, 2], {}, account);
    await one.ship({ target: { readers: ['reader'] } });
    const two = openTargetSite(server, { schema: one.schema, worker: 'eu-2', start: now });
    two.register([101], ['third']);
    await two.walk([1], {}, 'third');
    await two.ship({ accounts: ['third'] });
    return one;
  }

  it('shows every worker and account, also to a reader, and ends with 0', async () => {
    const { schema } = await openFleet();
    for (const url of [server.url, as('reader')]) {
      const { code, stdout, stderr } = await run(url, '--schema', schema);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^All in order: 3 accounts of 2 workers \(postgres:\/\//);
      expect(stdout).toMatch(/eu-1 +main +20.*\n +second +20.*\neu-2 +third +20/);
    }
    const { stdout } = await run(as('reader'), '--schema', schema, '--json');
    const { workers, summary } = JSON.parse(stdout) as Document;
    expect(summary).toBe('All in order: 3 accounts of 2 workers');
    expect(workers.map(({ worker, accounts }) => [worker, accounts.length])).toEqual([
      ['eu-1', 2],
      ['eu-2', 1],
    ]);
    expect(workers[0]?.accounts[0]).toMatchObject({
      account: 'main',
      is_held: true,
      last_load: 'first',
      problems: [],
    });
  });

  it('says what needs a person, and ends with 3', async () => {
    const { schema, query } = await openFleet();
    await query(
      `UPDATE $.vodhouse_account SET lease_until = now() - interval '1 hour' WHERE account = 'main'`,
    );
    await query(`UPDATE $.vodhouse_account SET status = 'unverified' WHERE account = 'second'`);
    await query(
      `UPDATE $.vodhouse_account SET published_at = now() - interval '3 days' WHERE account = 'third'`,
    );
    const { code, stdout } = await run(server.url, '--schema', schema);
    expect([code, stdout.split('\n')[0]]).toEqual([
      3,
      expect.stringContaining('3 of 3 accounts of 2 workers need attention'),
    ]);
    expect(stdout).toMatch(/! main \(eu-1\): no worker has it since 20/);
    expect(stdout).toContain('! second (eu-1): its rows differ from the warehouse');
    expect(stdout).toContain('! third (eu-2): the newest publication is from 3 days ago');
    const byCron = await run(server.url, '--schema', schema, '--cron', '--json');
    const { workers } = JSON.parse(byCron.stdout) as Document;
    expect(workers[0]?.accounts[0]).toMatchObject({ account: 'main', is_held: false, problems: [] });
    expect(byCron.code).toBe(3);
  });

  it('names an account that was claimed and never loaded', async () => {
    const { schema, query } = await openFleet();
    await query(
      `INSERT INTO $.vodhouse_account (account, warehouse_id, epoch, worker, instance, lease_until)
SELECT 'fourth', warehouse_id, 1, 'eu-2', instance, lease_until FROM $.vodhouse_account WHERE account = 'third'`,
    );
    await server.query(
      `GRANT USAGE ON SCHEMA ${schema} TO glance; GRANT SELECT ON ${schema}.vodhouse_freshness TO glance`,
    );
    for (const user of ['postgres', 'reader', 'glance']) {
      const { code, stdout } = await run(as(user), '--schema', schema);
      expect([user, code]).toEqual([user, 3]);
      expect(stdout).toContain('! fourth (eu-2): claimed, and never loaded');
      expect(stdout).toMatch(/fourth +20\S+ \S+ +never/);
      expect(stdout).not.toMatch(/fourth .*just now/);
    }
  });

  it('does with the view of freshness alone', async () => {
    const { schema } = await openFleet();
    await server.query(
      `GRANT USAGE ON SCHEMA ${schema} TO glance; GRANT SELECT ON ${schema}.vodhouse_freshness TO glance`,
    );
    const { code, stdout } = await run(as('glance'), '--schema', schema, '--json');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Document).workers[1]?.accounts).toMatchObject([
      { account: 'third', warehouse_id: null, status: 'ok', is_held: true },
    ]);
  });

  it('says why it cannot, never with the password', async () => {
    const { schema } = await openFleet();
    await server.query('CREATE SCHEMA somebody');
    const wrong = server.url.replace('postgres@', 'guarded:wr0ng-secret@');
    for (const [url, words, code, text] of [
      [server.url, ['--schema', 'none'], 2, 'has no schema none'],
      [server.url, ['--schema', 'somebody'], 2, 'has no tables of vodhouse'],
      [as('stranger'), ['--schema', schema], 2, 'may not read the tables of the schema'],
      [wrong, ['--schema', schema], 1, 'the password of guarded is wrong'],
      [as('sealed'), [], 1, 'a server that accepts only TLS: `--ssl verify-full`'],
      [server.url, ['--ssl', 'verify-full'], 1, 'has no TLS, but --ssl is verify-full'],
      [server.url, ['--ssl', 'verify-full'], 1, '`--ssl off` sends everything in plain text'],
      ['postgres://u:wr0ng-secret@127.0.0.1:1/x', [], 1, 'nothing listens'],
      ['u:wr0ng-secret@host', [], 2, '--postgres is'],
      ['postgres://u@host/db?sslmode=require', [], 2, 'give `--ssl verify-full` (or no-verify, off)'],
    ] as const) {
      const ended = await run(url, ...words);
      expect([ended.code, ended.stdout]).toEqual([code, '']);
      expect(ended.stderr).toContain(text);
      expect(ended.stderr).not.toContain('wr0ng-secret');
      expect(ended.stderr).not.toMatch(/`(?:ssl|ca|postgres):/);
    }
  });
});
