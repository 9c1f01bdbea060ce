import { describe, expect, it } from 'vitest';
import { createTestClient, pageRequest } from '../../support/fixtures/service-client.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const EXCLUDED = ['thumbnail_url', 'playcount'];
/** A video with two fields that differ at every read. */
const volatile = (number: number) =>
  videoRecord(7, { thumbnail_url: `https://images.example.test/7.jpg?sign=${number}`, playcount: number });

/** Reads a page with one record. */
async function readPage(record: unknown, exclude: readonly string[]) {
  return (await openClient(record, exclude)).videoPage(pageRequest());
}

/** `read`, or `known` where the records of the page have this hash. */
async function readIfChanged(record: unknown, exclude: readonly string[], knownHash: string | null) {
  return (await (await openClient(record, exclude)).videoPageIfChanged(pageRequest(), knownHash)).kind;
}

async function openClient(record: unknown, exclude: readonly string[]) {
  const body = listBody({ records: [record] });
  return (await createTestClient(() => ({ body }), { exclude })).client;
}

describe('a field that the config leaves out', () => {
  it('is null or missing whatever it holds, and is no drift', async () => {
    for (const number of [1, 2, 1e300])
      expect(await readPage(volatile(number), EXCLUDED)).toMatchObject({
        videos: [videoRecord(7, { thumbnail_url: null })],
        refused: [],
        drift: [],
      });
  });

  it('does not hide the other fields, documented or not', async () => {
    const { videos, drift } = await readPage({ ...volatile(1), etc2: 'b' }, ['playcount']);
    const thumbnail_url = 'https://images.example.test/7.jpg?sign=1';
    expect(videos).toMatchObject([{ ...videoRecord(7, { thumbnail_url }), extra: '{"etc2":"b"}' }]);
    expect(drift.map(({ field }) => field)).toEqual(['etc2']);
  });

  it.each([null, 7, 'text', [], [7]])('leaves a record alone that is no object: %j', async (record) => {
    expect((await readPage(record, EXCLUDED)).refused).toMatchObject([{ id: null }]);
  });

  it('is read again from a page of the same bytes when it is no longer left out', async () => {
    const { hash } = await readPage(volatile(1), EXCLUDED);
    expect(await readIfChanged(volatile(1), EXCLUDED, hash)).toBe('known');
    expect(await readIfChanged(volatile(1), ['playcount'], hash)).toBe('read');
    expect(await readIfChanged(volatile(1), [], hash)).toBe('read');
  });
});
