import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('a booked day in a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** A site with two booked days and a live one, all of them in the target. */
  async function openBooked() {
    const site = openTargetSite(server);
    site.register();
    await site.walk([1]);
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    await site.ship();
    return site;
  }
  type Site = Awaited<ReturnType<typeof openBooked>>;

  const readDay = async (site: Site, day: string) =>
    (
      await site.query(
        `SELECT state, is_corrected, original_video_count AS figure FROM $.storage_daily WHERE day = '${day}'`,
      )
    )[0];

  it.each([
    `UPDATE $.storage_daily SET original_video_count = 0 WHERE day = '2026-02-27'`,
    `UPDATE $.storage_daily SET state = 'missing' WHERE day = '2026-02-27'`,
    `UPDATE $.storage_daily SET day = '2020-01-01' WHERE day = '2026-02-27'`,
    `UPDATE $.storage_daily SET account = 'other' WHERE day = '2026-02-27'`,
    `UPDATE $.storage_daily SET is_corrected = true, image_bytes = 0 WHERE day = '2026-02-27'`,
    'UPDATE $.storage_daily SET total_gib = NULL, original_ad_count = NULL',
    `UPDATE $.storage_daily SET total_gib = 0 WHERE day = '2026-02-27'`,
    `DELETE FROM $.storage_daily WHERE day = '2026-02-27'`,
    'DELETE FROM $.storage_daily',
    'TRUNCATE $.storage_daily',
    'TRUNCATE $.storage_daily CASCADE',
    `INSERT INTO $.storage_daily (account, day, state) VALUES ('main', '2026-02-27', 'booked')
     ON CONFLICT (account, day) DO UPDATE SET original_video_count = 0`,
  ])('refuses %s', async (statement) => {
    const site = await openBooked();
    await expect(site.query(statement)).rejects.toMatchObject({ code: '23001' });
    expect(await site.differences()).toEqual([]);
  });

  it('lets the live day be changed, and columns that are no figures', async () => {
    const site = await openBooked();
    await site.query(`DELETE FROM $.storage_daily WHERE state = 'live'`);
    await site.query(`UPDATE $.storage_daily SET discrepancies = 3, is_retired = true`);
    expect(await readDay(site, '2026-02-27')).toMatchObject({ state: 'booked', figure: '10' });
  });

  it('shows the figures of a correction, and of the next one', async () => {
    const site = await openBooked();
    for (const figure of [11, 12]) {
      site.correct('2026-02-27', figure);
      expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded', findings: [] });
      expect(await readDay(site, '2026-02-27')).toEqual({
        ...{ state: 'booked', is_corrected: true, figure: String(figure) },
      });
      expect(await site.differences()).toEqual([]);
    }
  });

  /** Puts other figures into the target as a superuser can: past the triggers. */
  const tamper = (site: Site, statement: string) =>
    site.query(`SET session_replication_role = replica; ${statement}`);

  it('stays as it is where it differs, and each load tells it until a person lets it go', async () => {
    const site = await openBooked();
    await tamper(site, `UPDATE $.storage_daily SET original_video_count = 77 WHERE day = '2026-02-27'`);
    site.book({ '2026-02-26': 5 }); // the month is compared again
    for (let loads = 0; loads < 3; loads++) {
      const { main } = loads === 2 ? await site.load() : await site.ship();
      expect(main?.findings).toMatchObject([{ kind: 'booked_differs' }]);
      expect(main?.findings[0]?.message).toContain('2026-02-27');
      expect(await readDay(site, '2026-02-27')).toMatchObject({ figure: '77' });
      expect(await readDay(site, '2026-02-26')).toMatchObject({ figure: '5' });
    }
    const rebuilt = await site.load({ rebuild: ['main'] });
    expect(rebuilt['main']).toMatchObject({ outcome: 'loaded', verified: true });
    expect(await site.differences()).toEqual([]);
    const lost = 'SELECT day::text, original_video_count AS figure FROM $.vodhouse_lost_storage';
    expect(await site.query(lost)).toEqual([{ day: '2026-02-27', figure: '77' }]);
    expect((await site.load())['main']?.findings).toEqual([]);
  });

  it.each(['2026-02-20', '2025-01-01', '2030-01-01'])(
    'that was slipped in by hand (%s) is told by each load after it was found, and stays',
    async (day) => {
      const site = await openBooked();
      await site.query(`INSERT INTO $.storage_daily (account, day, state, original_video_count)
        VALUES ('main', '${day}', 'booked', 5)`);
      const found = (await site.load({ verify: ['main'] }))['main'];
      expect(found).toMatchObject({ verified: false });
      expect(found?.findings.map(({ kind }) => kind).sort()).toEqual([
        'booked_differs',
        'differs',
        'reloaded',
      ]);
      for (let loads = 0; loads < 2; loads++) {
        const { main } = await site.ship();
        expect(main?.findings.map(({ kind }) => kind)).toContain('booked_differs');
        expect(await readDay(site, day)).toMatchObject({ state: 'booked', figure: '5' });
      }
      expect((await site.load({ rebuild: ['main'] }))['main']).toMatchObject({ verified: true });
      expect(await readDay(site, day)).toBeUndefined();
    },
  );

  it('is not changed by a correction that was slipped in by hand', async () => {
    const site = await openBooked();
    await site.query(`INSERT INTO $.storage_corrections (account, day, accepted_at)
      VALUES ('main', '2026-02-27', '2026-03-01 00:00+00')`);
    await expect(
      site.query(
        `UPDATE $.storage_daily SET original_video_count = 0, is_corrected = true WHERE day = '2026-02-27'`,
      ),
    ).rejects.toMatchObject({ code: '23001' });
    const { main } = await site.load({ verify: ['main'] });
    expect(main).toMatchObject({ verified: true, findings: [{ kind: 'reloaded' }] });
    expect(await site.query('SELECT 1 FROM $.storage_corrections')).toEqual([]);
  });
});
