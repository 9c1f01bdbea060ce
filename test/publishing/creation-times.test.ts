/** `created_at` and `created_day`, by every form of `cdate`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTime } from '../../src/lib/days.ts';
import { liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

/** Publishes a video for each text. Returns the time of each, after a check of its day. */
async function publishTimes(texts: readonly (string | null)[], timezone = 'Asia/Seoul') {
  const rows = texts.map((cdate, index) =>
    videoRow(index + 1, { cdate }).replaceAll('\0', `' || char(0) || '`),
  );
  const { select } = await published(liveFileWith(packageRow(101), ...rows), { timezone });
  return select('select created_at as time, created_day as day from videos order by video_id').map(
    ({ time, day }) => {
      expect(day).toBe(typeof time === 'string' ? time.slice(0, 10) : null);
      return time;
    },
  );
}

describe('the creation time of a published video', () => {
  it('is what the clock of the service showed', async () => {
    const texts = [
      '2026-01-02 23:04:05.6',
      '2026-01-02 23:04:05',
      '2026-01-02 23:04:05.123',
      '2026-01-02T23:04:05',
    ];
    const times = await publishTimes([...texts, '2026-01-02 23:04', ' 2026-01-02 23:04:05 ']);
    expect(times).toEqual([
      ...texts.map(() => '2026-01-02 23:04:05'),
      '2026-01-02 23:04:00',
      '2026-01-02 23:04:05',
    ]);
  });

  it('is in the calendar of the service where it came with a zone', async () => {
    const texts = [
      '2026-01-02T18:04:05Z',
      '2026-01-02 18:04:05+00:00',
      '2026-01-03T01:04:05.5 +0700',
      '2026-01-02 18:04:05 UTC',
    ];
    expect(new Set(await publishTimes(texts))).toEqual(new Set(['2026-01-03 03:04:05']));
  });

  it('follows the clocks of the service when they change', async () => {
    const spring = ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'];
    const autumn = ['2026-10-25T00:59:59Z', '2026-10-25T01:00:00Z', '2026-10-25T02:59:59+02:00'];
    expect(await publishTimes([...spring, ...autumn], 'Europe/Berlin')).toEqual([
      '2026-03-29 01:59:59',
      '2026-03-29 03:00:00',
      '2026-10-25 02:59:59',
      '2026-10-25 02:00:00',
      '2026-10-25 02:59:59',
    ]);
  });

  it('is NULL for any other text', async () => {
    const texts = [
      null,
      '',
      '02/01/2026',
      '2026-01-02',
      '1767322800',
      '0000-00-00 00:00:00',
      '2026-02-30 10:00:00.0',
    ];
    const more = [
      '2026-01-02 24:00:00.0',
      '0001-01-01T00:00:00Z',
      '1900-01-01T00:00:00+14:00',
      '2026-01-02 03:04:05\0',
    ];
    expect(new Set(await publishTimes([...texts, ...more]))).toEqual(new Set([null]));
  });

  it('is the same whether SQL reads it or JavaScript', async () => {
    const of = (...values: string[]) => fc.constantFrom(...values);
    const parts = [
      of('1899', '1900', '2024', '2026', '2261', '2262'),
      of('-01-31', '-02-29', '-02-30', '-12-31', '-13-01', '-04-31', '/01/02'),
      of(' ', 'T', '  ', ''),
      of('00:00:00', '23:59:59', '24:00:00', '12:60:00', '03:04', '3:04:05'),
      of('', '.0', '.123', '.9999999', '.', '.1.2', '.0\0', '\0'),
      of('', 'Z', '+00:00', '-00:00', ' +0530', ' ', 'x'),
    ];
    const texts = fc.sample(
      fc.tuple(...parts).map((each) => each.join('')),
      { seed: 5, numRuns: 3_000 },
    );
    expect(await publishTimes(texts, 'UTC')).toEqual(texts.map((text) => readTime(text)));
  });
});
