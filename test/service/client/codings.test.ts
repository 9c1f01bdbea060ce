import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../../src/lib/errors.ts';
import { catchFailure, createTestClient, pageRequest } from '../../support/fixtures/service-client.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const text = listBody({ records: [videoRecord(7)] });
const ENCODERS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, raw: deflateRawSync };
type Coding = keyof typeof ENCODERS;

/** The content with the codings applied, one after the other. */
const encode = (content: string | Buffer, ...codings: readonly Coding[]): Buffer =>
  codings.reduce<Buffer>((body, coding) => ENCODERS[coding](body), Buffer.from(content));

const encoded = (header: string | string[], body: string | Buffer, status = 200) => ({
  status,
  headers: { 'content-encoding': header as string }, // Node sends a list in several lines
  body,
});

/** The client of a service that answers like this. */
const clientFor = (header: string | string[], body: string | Buffer, maxBytes = 1_000_000) =>
  createTestClient(() => encoded(header, body), { maxBytes });

describe('the codings of a response', () => {
  it.each<[string, string | string[], Coding[]]>([
    ['deflate without the header of zlib', 'deflate', ['raw']],
    ['two in their order', 'gzip, br', ['gzip', 'br']],
    ['two in another order', 'br,gzip', ['br', 'gzip']],
    ['the same twice', 'gzip, gzip', ['gzip', 'gzip']],
    ['in several lines', ['deflate', 'gzip'], ['raw', 'gzip']],
    ['five', 'deflate, gzip, br, gzip, deflate', ['deflate', 'gzip', 'br', 'gzip', 'raw']],
    ['in capitals, with an old name', 'X-GZIP , Br', ['gzip', 'br']],
    ['with one that changes nothing', 'identity, gzip,', ['gzip']],
    ['none, by that name', 'identity', []],
    ['none, where the header names the characters', 'UTF-8', []],
  ])('may be %s: %j', async (_what, header, codings) => {
    const { client, budget } = await clientFor(header, encode(text, ...codings));
    expect((await client.videoPage(pageRequest())).ids).toEqual([7]);
    expect(budget.spent[0]?.result).toEqual({ status: 200, bytes: Buffer.byteLength(text), sent: true });
  });

  it.each([
    ['zstd', 'zstd'],
    ['gzip, compress', 'compress'],
    ['gzip;q=1', 'gzip;q=1'],
    ['gzip, gzip, gzip, gzip, gzip, gzip', 'gzip, gzip, gzip'],
  ])('that cannot be read are named, and not asked for again: %s', async (header, named) => {
    const { client, service } = await clientFor(header, encode(text, 'gzip'));
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'encoding', hint: expect.stringContaining('proxy') as string });
    expect(error.message).toContain(named);
    expect(service.requests).toHaveLength(1);
  });

  it('that cannot be read leave no connection that later requests wait for', async () => {
    const { client } = await createTestClient(
      ({ number }) => (number === 1 ? encoded('zstd', 'x'.repeat(500_000)) : { body: text }),
      { account: { concurrency: 1 } },
    );
    await catchFailure(client.videoPage(pageRequest()));
    expect((await client.videoPage(pageRequest())).ids).toEqual([7]);
  });

  it('do not hide the status of an error', async () => {
    for (const [header, body] of [
      ['zstd', 'x'],
      ['gzip, br', encode('<b>no</b>', 'gzip', 'br')],
    ] as const) {
      const { client } = await createTestClient(() => encoded(header, body, 404));
      const error = await catchFailure(client.videoPage(pageRequest()));
      expect(error).toMatchObject({ fault: 'status', status: 404 });
      expect(error.message).toMatch(header === 'zstd' ? /answered 404$/ : /answered 404: no$/);
    }
  });

  it('are limited by what each of them gives, not by the last one alone', async () => {
    const large = Buffer.alloc(5_000_000, ' ');
    for (const [header, codings] of [
      ['gzip', ['gzip']],
      ['gzip, br', ['gzip', 'br']],
      ['deflate, gzip', ['raw', 'gzip']],
    ] as const) {
      const { client, service } = await clientFor(header, encode(large, ...codings));
      const error = await catchFailure(client.videoPage(pageRequest()));
      expect(error).toMatchObject({ fault: 'too_large' });
      expect(service.requests).toHaveLength(1);
    }
    const between = gzipSync(Buffer.alloc(50_000_000)); // larger than the limit before the last coding is taken away
    const { client } = await clientFor('br, gzip', gzipSync(between), 40_000);
    expect(await catchFailure(client.videoPage(pageRequest()))).toMatchObject({ fault: 'too_large' });
  });
});
