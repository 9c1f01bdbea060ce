import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/servers/postgres.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

const WORD = 'geheim/wörd';

describe.skipIf(findPostgres() === null)('demo --postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({}, { hba: ['host all owner 127.0.0.1/32 scram-sha-256'] });
    await server.query(`CREATE ROLE owner LOGIN PASSWORD '${WORD}'`);
  });
  afterAll(() => server.remove());

  const createDatabase = async () => {
    const url = await server.createDatabase();
    await server.query(`ALTER DATABASE ${url.replace(/.*\//, '')} OWNER TO owner`);
    return { url, ownerUrl: url.replace('postgres@', `owner:${encodeURIComponent(WORD)}@`) };
  };
  const demoOnce = async (cwd: string, url: string) => {
    const { code, stdout, stderr } = await vodhouse(['demo', '--once', '--postgres', url], { cwd });
    expect(stdout + stderr).not.toMatch(/geheim|w%C3%B6rd/);
    return { code, stdout, stderr };
  };
  const countVideos = async (url: string) => {
    const sql = 'SELECT count(*)::int AS videos FROM vodhouse_demo.bi_videos_now';
    return (await server.query<{ videos: number }>(sql, url))[0]?.videos;
  };

  it('loads a schema of its own, prints what arrived, and queries without the password', async () => {
    const { url, ownerUrl } = await createDatabase();
    const { code, stdout } = await demoOnce(temporaryFolder(), ownerUrl);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^target demo: 1 of 1 account up to date, [\d,]+ rows/m);
    expect(await countVideos(url)).toBeGreaterThan(1_500);
    const schemas = await server.query(
      "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$' ORDER BY 1",
      url,
    );
    expect(schemas).toEqual([{ nspname: 'public' }, { nspname: 'vodhouse_demo' }]);
    const printed = [...stdout.matchAll(/^ {2}psql (\S+) -c "(.+)"$/gm)];
    expect(printed).toHaveLength(3);
    for (const [, shown = '', sql = ''] of printed) {
      expect(shown).toBe(url.replace('postgres@', 'owner@'));
      await server.query(sql, url);
    }
  });

  it('takes the schema over from an earlier demo, and refuses while another one runs', async () => {
    const { url } = await createDatabase();
    expect((await demoOnce(temporaryFolder(), url)).code).toBe(0);
    const cwd = temporaryFolder();
    const second = startVodhouse(['demo', '--churn', '0', '--postgres', url], { cwd });
    await eventually(second.stdout).toContain('target demo: 1 of 1 account up to date');
    expect(await countVideos(url)).toBeGreaterThan(1_500);

    const third = await demoOnce(temporaryFolder(), url);
    expect(third.code).toBe(75);
    expect(third.stderr).toMatch(
      /another demo \(of .+\) loads the schema vodhouse_demo until .* UTC\n {2}-> /,
    );
    second.kill('SIGTERM');
    await second.ended;
    expect((await demoOnce(cwd, url)).code).toBe(0); // the account was given back
  });

  it.each([
    ['not an address', 'mysql://root:geheim@h/db', 2, 'is mysql://root:***@h/db; expected postgres://'],
    ['TLS in the address', 'postgres://o:geheim@h/db?sslmode=require', 2, 'expected it without sslmode\n'],
    ['a server that is down', 'postgres://o:geheim@127.0.0.1:1/db', 1, 'nothing listens at 127.0.0.1:1\n'],
  ])('names %s', async (_what, url, expected, text) => {
    const { code, stderr } = await demoOnce(temporaryFolder(), url);
    expect(stderr).toContain(text);
    expect(code).toBe(expected);
  });

  it('names a wrong password and a schema of others, and changes nothing', async () => {
    const { url, ownerUrl } = await createDatabase();
    const wrong = await demoOnce(temporaryFolder(), ownerUrl.replace('geheim', 'other-word'));
    expect(wrong.stderr).toContain(
      'the password of owner is wrong (28P01)\n  -> correct the password in --postgres;',
    );
    expect(wrong.stderr).not.toContain('other-word');
    expect(wrong.code).toBe(1);

    await server.query('CREATE SCHEMA vodhouse_demo; CREATE TABLE vodhouse_demo.videos (a int)', url);
    const foreign = await demoOnce(temporaryFolder(), url);
    expect(foreign.stderr).toContain('has a table videos that vodhouse did not make; nothing was changed');
    expect(foreign.code).toBe(2);
  });
});
