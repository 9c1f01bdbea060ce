import { describe, expect, it } from 'vitest';
import { VIDEO_FIELDS } from '../../../src/service/service-fields.ts';
import { splitEnvelope } from '../../../src/service/client/parse-response.ts';
import { createTestClient, catchFailure, pageRequest } from '../../support/fixtures/service-client.ts';
import { listBody, listRefusal, videoRecord } from '../../support/fixtures/service-responses.ts';

const records = [videoRecord(7, { title: 'a [title] with ] brackets [' }), videoRecord(9)];

/** Fetches a page with this response, whose records have this hash. */
async function fetchPage(body: string, knownHash: string | null = null) {
  const { client } = await createTestClient(() => ({ body }));
  return client.videoPageIfChanged(pageRequest(), knownHash);
}

const fetchHash = async (body: string) => (await fetchPage(body)).hash;

describe('an unchanged page', () => {
  it('has paging, echo and hash, and its records where they are parsed after all', async () => {
    const hash = await fetchHash(listBody({ records }));
    const { client } = await createTestClient(() => ({ body: listBody({ records, page: 1 }) }));
    const page = await client.videoPageIfChanged(pageRequest(), hash);
    expect(page).toMatchObject({ kind: 'known', hash });
    expect(page).not.toHaveProperty('videos');
    expect(page.paging).toEqual({ page: 1, pagesize: 1000, totalcount: 2, totalpage: 1 });
    if (page.kind === 'known')
      expect(client.readRecords(page)).toMatchObject({ ids: [7, 9], paging: page.paging, hash });
  });

  it('has all records and its hash where its hash is unknown', async () => {
    for (const known of [null, 'another']) {
      const page = await fetchPage(listBody({ records }), known);
      expect(page).toMatchObject({ kind: 'read', ids: [7, 9] });
      expect(page.hash).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    }
  });
});

describe('the hash of a page', () => {
  it('depends on its records alone, whatever surrounds them', async () => {
    const one = await fetchHash(listBody({ records, totalcount: 2, page: 1 }));
    expect(await fetchHash(listBody({ records, totalcount: 90, totalpage: 9, page: 4 }))).toBe(one);
  });

  it('changes when one byte of a record changes', async () => {
    const one = await fetchHash(listBody({ records }));
    expect(await fetchHash(listBody({ records: [records[0], videoRecord(9, { tag: ' ' })] }))).not.toBe(one);
  });
});

describe('text and hash of a response', () => {
  it.each([
    listBody({ records }),
    JSON.stringify({ before: [1], ...(JSON.parse(listBody({ records })) as object) }),
    '{"before":1}]"no":"list"}[',
    '\ufeff["한국어"]\ufeff',
    '[]',
    '{}',
    '',
  ])('are the same in whatever pieces it comes: %j', (body) => {
    const bytes = Buffer.from(body);
    const whole = splitEnvelope([bytes], VIDEO_FIELDS);
    for (let size = 1; size <= bytes.length; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(splitEnvelope(pieces, VIDEO_FIELDS)).toEqual(whole);
    }
  });
});

describe('a page with its known hash is parsed completely', () => {
  it('where brackets around its records are ambiguous', async () => {
    const body = JSON.stringify({
      before: [1],
      ...(JSON.parse(listBody({ records })) as object),
    });
    expect(await fetchPage(body, await fetchHash(body))).toMatchObject({ kind: 'read', ids: [7, 9] });
  });

  it('where it is an errorInfo failure, which stays one', async () => {
    const body = listRefusal('Denied').body ?? '';
    const { client } = await createTestClient(() => ({ body }));
    const knownHash = splitEnvelope([Buffer.from(body)], VIDEO_FIELDS)?.hash ?? null;
    const error = await catchFailure(client.videoPageIfChanged(pageRequest(), knownHash));
    expect(error.message).toContain('Denied');
  });

  it('where it is truncated, and is requested again', async () => {
    const body = listBody({ records });
    const hash = await fetchHash(body);
    const { client, service } = await createTestClient(({ number }) => ({
      body: number === 1 ? body.slice(0, body.lastIndexOf(']') + 1) : body,
    }));
    const page = await client.videoPageIfChanged(pageRequest(), hash);
    expect(page).toMatchObject({ kind: 'known', paging: { totalcount: 2 } });
    expect(service.requests).toHaveLength(2);
  });
});

describe('a record', () => {
  it('that contains the key reveals it neither in quarantine nor as drift', async () => {
    const { client, service } = await createTestClient(({ query }) => ({
      body: listBody({
        records: [videoRecord(7, { duration: 1.5, [`x${query.get('key') ?? ''}`]: query.get('key') })],
      }),
    }));
    const page = await client.videoPage(pageRequest());
    expect(page.refused).toHaveLength(1);
    expect(JSON.stringify(page)).toContain('[key]');
    expect(JSON.stringify(page)).not.toContain(service.requests[0]?.query.get('key'));
  });
});

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
