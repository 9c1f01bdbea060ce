import { describe, expect, it } from 'vitest';
import { FIGURES } from '../../../src/service/service-fields.ts';
import { insert, storageRow } from '../../support/fixtures/filled-live-file.ts';
import { AT, gap } from '../../support/fixtures/page-rows.ts';
import { linksIn, named, getText, rowsIn } from '../../support/read-html.ts';
import { onlyMain, openPages } from '../../support/servers/open-pages.ts';

/** In Seoul. */
const LOCAL = '2026-03-10 20:00:00';

/** The cells of a day that is a gap. */
const NO_FIGURES = Array<string>(8).fill('');

describe('the page of storage', () => {
  const DAYS = [
    storageRow('2026-03-05', 2 ** 30, { account: 'other' }),
    gap('2026-03-06', { account: 'other', given_up_at: AT }),
    gap('2026-03-07', { account: 'other' }),
    storageRow('2026-03-09', null, { account: 'other', image_size: 7 }),
    storageRow('2026-03-10', 2 ** 31, { account: 'other', state: 'live' }),
  ];

  it('shows a corrected day as such, with its figures, and the reason why a day waits', async () => {
    const figures = Object.fromEntries(FIGURES.map((figure) => [figure, 2 ** 30]));
    const correction = { account: 'main', date: '2026-03-08', accepted_at: AT, reason: 'x', ...figures };
    const { page } = await openPages([
      ...DAYS,
      insert('storage_correction', { ...correction, accepted_at: '2026-03-09 00:00:00', image_size: 1 }),
      insert('storage_correction', correction),
      gap('2026-03-09', { reason: 'unconfirmed' }),
    ]);
    const { part, partText } = await page('/storage?account=main&month=2026-03');
    expect(partText('storage-now')).toBe('5 GiB on 2026-03-08, last booked day');
    expect(rowsIn(part('months')).slice(1)).toEqual([['2026-03', '', '5 GiB', '1 gap, 1 corrected']]);
    expect(rowsIn(part('days')).slice(1)).toEqual([
      ['2026-03-09', ...NO_FIGURES],
      ['', `implausible figures, waiting for a second reading; last requested at ${LOCAL}`],
      [
        '2026-03-08',
        '',
        ...Array<string>(5).fill('1 GiB 1,073,741,824'),
        '5 GiB',
        'corrected, 2026-03-09 05:00:00',
      ],
    ]);
    expect(partText('level')).toContain('Grey days have no figures');
    expect(partText('level')).toContain('The axis begins at 0.');
  });

  it('is of the requested account, else of all together, as the tile, with a line for each', async () => {
    const { page, url } = await openPages([
      storageRow('2026-03-07', 2 ** 30),
      storageRow('2026-03-09', 2 ** 30),
      ...DAYS,
    ]);
    for (const query of ['', '?month=2026-3', '?month=2020-01', '?account=alone']) {
      const { partText, part, title } = await page(`/storage${query}`);
      expect(title).toBe('Storage of all accounts · Vodhouse test');
      expect(partText('storage-now')).toBe('15 GiB, the latest figures of each account');
      expect(rowsIn(part('accounts')).slice(1)).toEqual([
        ['main', '5 GiB', '2026-03-09', 'no change', '2026-03-07'],
        ['other', '10 GiB', '2026-03-10, so far', '', ''],
      ]);
    }
    expect((await page()).partText('tile-storage')).toContain('Storage (live) 15 GiB');
    const days = await page('/storage?month=2026-03');
    expect(rowsIn(days.part('days')).slice(1, 5)).toEqual([
      ['2026-03-09', '', '20', '20', '20', '20', '1 GiB 20', 'at least 1 GiB', '2026-03-10 05:00:00'],
      ['2026-03-08', '', ...Array<string>(5).fill('2.93 KiB 20'), '14.6 KiB', '2026-03-09 05:00:00'],
      ['2026-03-07', ...NO_FIGURES],
      ['', 'no figures of other'],
    ]);
    const csv = await fetch(`${url}/storage.csv`);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="storage-all.csv"');
    const { partText, part } = await page('/storage?account=other');
    expect(partText('storage-now')).toBe('10 GiB on 2026-03-10, so far (live)');
    const shown = named(part('content'), 'a').filter(({ attributes }) => attributes.has('aria-current'));
    expect(shown.map(getText)).toEqual(['other']);
    expect(linksIn(part('content'))).toContainEqual(['/storage?account=main', 'main']);
  });

  it('names an account that the config has no storage of', async () => {
    const { page, url } = await openPages(DAYS);
    for (const name of ['nobody', 'alone']) {
      expect((await page(`/storage?account=${name}`)).partText('content')).toContain(
        `No account ${name} has storage in the config.`,
      );
      for (const ending of ['csv', 'svg'])
        expect((await fetch(`${url}/storage.${ending}?account=${name}`)).status).toBe(404);
    }
    expect((await page('/storage?account=other')).partText('content')).not.toContain('No account');
  });

  it('has the growth of each month, the days of one, each gap with its reason, and the same as CSV and SVG', async () => {
    const { page, url } = await openPages([
      storageRow('2025-12-31', 2 ** 29, { account: 'other' }),
      storageRow('2026-01-31', 2 ** 30, { account: 'other' }),
      ...DAYS,
    ]);
    const { part } = await page('/storage?account=other');
    expect(rowsIn(part('months')).map(([month, growth, level]) => [month, growth, level])).toEqual([
      ['Month', 'Growth', 'Level'],
      ['2026-03', '', 'at least 7 B'],
      ['2026-02', '', ''],
      ['2026-01', '+2.5 GiB', '5 GiB'],
      ['2025-12', '', '2.5 GiB'],
    ]);
    expect(linksIn(part('months'))[0]?.[0]).toBe('/storage?account=other&month=2026-03#days');
    const march = await page('/storage?account=other&month=2026-03');
    expect(rowsIn(march.part('days')).slice(1, 9)).toEqual([
      ['2026-03-10', '', ...Array<string>(5).fill('2 GiB 10'), '10 GiB', 'live, 2026-03-11 05:00:00'],
      ['2026-03-09', '', '10', '10', '10', '10', '7 B 10', 'at least 7 B', '2026-03-10 05:00:00'],
      ['2026-03-08', '', ...Array<string>(5).fill('1.95 KiB 10'), '9.77 KiB', '2026-03-09 05:00:00'],
      ['2026-03-07', ...NO_FIGURES],
      ['', `not returned by the service; last requested at ${LOCAL}`],
      ['2026-03-06', ...NO_FIGURES],
      ['', `not returned by the service; given up at ${LOCAL}`],
      ['2026-03-05', '', ...Array<string>(5).fill('1 GiB 10'), '5 GiB', '2026-03-06 05:00:00'],
    ]);
    for (const [query, days] of [
      ['', 70],
      ['&month=2026-03', 10],
    ] as const) {
      const csv = await fetch(`${url}/storage.csv?account=other${query}`);
      expect(csv.headers.get('content-disposition')).toBe('attachment; filename="storage-other.csv"');
      expect((await csv.text()).trim().split('\r\n')).toHaveLength(days + 1);
      const svg = await fetch(`${url}/storage.svg?account=other${query}`);
      expect(svg.headers.get('content-type')).toBe('image/svg+xml');
      expect(await svg.text()).toContain('Storage of other');
    }
  });

  it('has a message where no account has any, or none was read', async () => {
    const none = await openPages([], { accounts: onlyMain([{ id: 101, name: null }]) });
    expect((await none.page('/storage')).partText('content')).toContain('No account has storage statistics');
    for (const path of ['/storage.svg', '/storage.csv']) await none.page(path, 404);
    const unread = await openPages(['drop trigger storage_day_booked_delete;', 'delete from storage_day;'], {
      accounts: onlyMain([{ id: 101, name: null }], true),
    });
    expect((await unread.page('/storage')).partText('content')).toContain('No day has been read yet.');
  });
});
