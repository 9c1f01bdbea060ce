import { describe, expect, it } from 'vitest';
import type { PageEnvelope } from '../../../src/service/client/parse-response.ts';
import { splitEnvelope } from '../../../src/service/client/response-body.ts';
import { clientOf, failureOf, pageRequest } from '../../support/fixtures/service-client.ts';
import { listBody, listRefusal, videoRecord } from '../../support/fixtures/service-responses.ts';

const records = [videoRecord(7, { title: 'a [title] with ] brackets [' }), videoRecord(9)];

/** Asks for a page that is answered so; `known` says whether it is unchanged. */
async function ask(body: string, known: boolean) {
  const { client, service } = await clientOf(() => ({ body }));
  const seen: (PageEnvelope | null)[] = [];
  const isUnchanged = async (_hash: string, readSeen: () => PageEnvelope | null) => {
    seen.push(readSeen());
    return known;
  };
  return { page: await client.videoPage({ ...pageRequest(), isUnchanged }), seen, service };
}

const hashOf = async (body: string) => (await ask(body, false)).page.hash;

describe('a page that is unchanged', () => {
  it('comes without its records, with paging and echo', async () => {
    const { page, seen } = await ask(listBody({ records, page: 1 }), true);
    expect(page).toMatchObject({ unchanged: true, videos: [], ids: [], drift: [] });
    expect(page.paging).toEqual({ page: 1, pagesize: 1000, totalcount: 2, totalpage: 1 });
    expect(seen).toEqual([{ paging: page.paging, echo: page.echo, hash: page.hash }]);
  });

  it('comes with all records and its hash where nobody knows it', async () => {
    const { page } = await ask(listBody({ records }), false);
    expect(page).toMatchObject({ unchanged: false, ids: [7, 9] });
    expect(page.hash).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  it('has no hash where nobody asks for one', async () => {
    const { client } = await clientOf(() => ({ body: listBody({ records }) }));
    expect((await client.videoPage(pageRequest())).hash).toBeNull();
  });
});

describe('the hash of a page', () => {
  it('is that of its records alone, whatever stands around them', async () => {
    const one = await hashOf(listBody({ records, totalcount: 2, page: 1 }));
    expect(await hashOf(listBody({ records, totalcount: 90, totalpage: 9, page: 4 }))).toBe(one);
  });

  it('is another one when one byte of a record is another', async () => {
    const one = await hashOf(listBody({ records }));
    expect(await hashOf(listBody({ records: [records[0], videoRecord(9, { tag: ' ' })] }))).not.toBe(one);
  });

  it('is another one for a reader that reads otherwise', () => {
    const content = Buffer.from(listBody({ records }));
    expect(splitEnvelope(content, 'records 1')?.hash).not.toBe(splitEnvelope(content, 'records 2')?.hash);
  });
});

describe('cannot be compared', () => {
  it('an answer whose brackets are not those of its records: it is read whole', async () => {
    const body = JSON.stringify({
      before: [1],
      ...(JSON.parse(listBody({ records })) as object),
    });
    const { page, seen } = await ask(body, true);
    expect(seen).toEqual([null]);
    expect(page).toMatchObject({ unchanged: false, ids: [7, 9] });
  });

  it('a refusal, which stays one', async () => {
    const { client } = await clientOf(() => listRefusal('Denied'));
    const error = await failureOf(
      client.videoPage({ ...pageRequest(), isUnchanged: async (_hash, readSeen) => readSeen() !== null }),
    );
    expect(error.message).toContain('Denied');
  });

  it('an answer that is cut off', async () => {
    const whole = listBody({ records });
    const { client } = await clientOf(({ number }) => ({
      body: number === 1 ? whole.slice(0, whole.lastIndexOf(']') + 1) : whole,
    }));
    const asked: (PageEnvelope | null)[] = [];
    const isUnchanged = async (_hash: string, readSeen: () => PageEnvelope | null) => {
      asked.push(readSeen());
      return true;
    };
    expect(await client.videoPage({ ...pageRequest(), isUnchanged })).toMatchObject({ unchanged: true });
    expect(asked).toMatchObject([null, { paging: { totalcount: 2 } }]);
  });
});

describe('a record', () => {
  it('that is nested too deeply for the stack is refused, and the others are stored', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = listBody({ records: [videoRecord(7, { later: 'DEEP' }), videoRecord(9)] });
    const { page } = await ask(body.replace('"DEEP"', deep), false);
    expect(page.videos.map(({ id }) => id)).toEqual([9]);
    expect(page.refused).toMatchObject([{ id: 7, reason: 'nested too deeply to be stored' }]);
  });

  it('that tells the key tells it neither in quarantine nor as drift', async () => {
    const { client, service } = await clientOf(({ query }) => ({
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
