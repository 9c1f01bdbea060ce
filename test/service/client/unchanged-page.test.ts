import { describe, expect, it } from 'vitest';
import type { PageEnvelope } from '../../../src/service/client/parse-response.ts';
import { createTestClient, catchFailure, pageRequest } from '../../support/fixtures/service-client.ts';
import { listBody, listRefusal, videoRecord } from '../../support/fixtures/service-responses.ts';

const records = [videoRecord(7, { title: 'a [title] with ] brackets [' }), videoRecord(9)];

/** Fetches a page with this response; `known` returns whether it is unchanged. */
async function fetchPage(body: string, known: boolean) {
  const { client, service } = await createTestClient(() => ({ body }));
  const seen: (PageEnvelope | null)[] = [];
  const isUnchanged = async (_hash: string, readSeen: () => PageEnvelope | null) => {
    seen.push(readSeen());
    return known;
  };
  return { page: await client.videoPage({ ...pageRequest(), isUnchanged }), seen, service };
}

const fetchHash = async (body: string) => (await fetchPage(body, false)).page.hash;

describe('an unchanged page', () => {
  it('has paging and echo, and no records', async () => {
    const { page, seen } = await fetchPage(listBody({ records, page: 1 }), true);
    expect(page).toMatchObject({ unchanged: true, videos: [], ids: [], drift: [] });
    expect(page.paging).toEqual({ page: 1, pagesize: 1000, totalcount: 2, totalpage: 1 });
    expect(seen).toEqual([{ paging: page.paging, echo: page.echo, hash: page.hash }]);
  });

  it('has all records and its hash where its hash is unknown', async () => {
    const { page } = await fetchPage(listBody({ records }), false);
    expect(page).toMatchObject({ unchanged: false, ids: [7, 9] });
    expect(page.hash).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  it('has no hash where none is requested', async () => {
    const { client } = await createTestClient(() => ({ body: listBody({ records }) }));
    expect((await client.videoPage(pageRequest())).hash).toBeNull();
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

describe('a page without a hash', () => {
  it('is a response with ambiguous brackets around its records: it is parsed completely', async () => {
    const body = JSON.stringify({
      before: [1],
      ...(JSON.parse(listBody({ records })) as object),
    });
    const { page, seen } = await fetchPage(body, true);
    expect(seen).toEqual([null]);
    expect(page).toMatchObject({ unchanged: false, ids: [7, 9] });
  });

  it('is an errorInfo failure, which stays one', async () => {
    const { client } = await createTestClient(() => listRefusal('Denied'));
    const error = await catchFailure(
      client.videoPage({ ...pageRequest(), isUnchanged: async (_hash, readSeen) => readSeen() !== null }),
    );
    expect(error.message).toContain('Denied');
  });

  it('is a truncated response', async () => {
    const body = listBody({ records });
    const { client } = await createTestClient(({ number }) => ({
      body: number === 1 ? body.slice(0, body.lastIndexOf(']') + 1) : body,
    }));
    const envelopes: (PageEnvelope | null)[] = [];
    const isUnchanged = async (_hash: string, readSeen: () => PageEnvelope | null) => {
      envelopes.push(readSeen());
      return true;
    };
    expect(await client.videoPage({ ...pageRequest(), isUnchanged })).toMatchObject({ unchanged: true });
    expect(envelopes).toMatchObject([null, { paging: { totalcount: 2 } }]);
  });
});

describe('a record', () => {
  it('that is nested too deeply for the stack is rejected, and the others are stored', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = listBody({ records: [videoRecord(7, { later: 'DEEP' }), videoRecord(9)] });
    const { page } = await fetchPage(body.replace('"DEEP"', deep), false);
    expect(page.videos.map(({ id }) => id)).toEqual([9]);
    expect(page.refused).toMatchObject([{ id: 7, reason: 'nested too deeply to be stored' }]);
  });

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
