/** Signed requests to an S3-compatible store, which are sent again after errors that pass by. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { request, type Dispatcher } from 'undici';
import { createAgent } from '../../../../lib/http/agent.ts';
import { StoreError, type Body, type S3Place } from '../store.ts';
import { toAddress } from './s3-address.ts';
import { parseError } from './s3-answers.ts';
import { createStoreClock } from './s3-clock.ts';
import { toConnectionError } from './s3-connection-errors.ts';
import { isPassing, toRefusal } from './s3-errors.ts';
import type { S3Answer, S3Request } from './s3-messages.ts';
import { createDeadline, type S3Timings } from './s3-timings.ts';

export type S3Client = ReturnType<typeof createS3Client>;

/** Connections to the store at most. */
const CONNECTIONS = 8;
const NOTHING = createHash('sha256').digest('hex');

/** Connects when needed. The caller closes it. */
export function createS3Client(place: S3Place, timings: S3Timings) {
  const clock = createStoreClock();
  const keys = new Map<string, ArrayBuffer>(); // what the signer derives once a day
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one for each request under way
  const agent = createAgent({
    ...{ connections: CONNECTIONS, connectTimeoutMs: timings.connectMs, proxy: null, ca: null },
  });

  /** The answer to a request that is not worth another attempt. Throws StoreError. */
  async function send(asked: S3Request): Promise<S3Answer> {
    const begun = performance.now();
    const hash = hashOf(asked.body);
    for (let attempt = 1; ; attempt++) {
      const { answer, error } = await sendOnce(asked, hash);
      if (answer && !isPassing(answer)) return { ...answer, isRepeated: attempt > 1 };
      const isLast = attempt >= timings.attempts || performance.now() - begun > timings.retryMs;
      if (error && (error.retry === 'hourly' || isLast || closing.signal.aborted)) throw error;
      if (answer && isLast) throw toRefusal(answer, place);
      await pause(attempt);
    }
  }

  async function pause(attempt: number): Promise<void> {
    const ceiling = Math.min(timings.capMs, timings.baseMs * 2 ** (attempt - 1));
    await sleep(Math.random() * ceiling, undefined, { signal: closing.signal }).catch(() => {
      throw toClosed();
    });
  }

  async function sendOnce(
    asked: S3Request,
    hash: string,
  ): Promise<{ answer: S3Answer; error?: never } | { answer?: never; error: StoreError }> {
    const url = toAddress(place, asked.key, asked.query);
    const deadline = createDeadline(closing.signal, timings, countBytes(asked.body));
    try {
      const sentAtMs = Date.now();
      const response = await request(url, {
        ...{ dispatcher: agent, method: asked.method, signal: deadline.signal },
        ...{ headersTimeout: 0, bodyTimeout: 0 }, // the deadline is over all of it
        headers: await sign(url, asked, hash),
        body: asked.body ? Readable.from(asked.body) : null, // of this attempt
      });
      const behindMs = clock.learn(response.headers.date, sentAtMs);
      deadline.extend(Number(response.headers['content-length'] ?? 0));
      return { answer: await toAnswer(response, behindMs) };
    } catch (error) {
      if (closing.signal.aborted) return { error: toClosed() };
      return { error: toConnectionError(error, place, url, deadline.isOver() ? deadline.ms() : null) };
    } finally {
      deadline.clear();
    }
  }

  async function sign(
    url: URL,
    { method, headers = {}, body }: S3Request,
    hash: string,
  ): Promise<Record<string, string>> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = place;
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, service: 's3', region, accessKeyId, secretAccessKey, cache: keys },
      ...(sessionToken !== null && { sessionToken }),
      headers: { ...headers, 'x-amz-content-sha256': hash },
    });
    const signed = await signer.sign();
    const length = method === 'PUT' ? { 'content-length': String(countBytes(body)) } : {};
    return { ...Object.fromEntries(signed.headers), ...length };
  }

  return {
    send,
    now: clock.now,
    close: async () => {
      closing.abort();
      await agent.destroy();
    },
  };
}

const toClosed = () => new StoreError('the store was closed', { code: 'CLOSED' });

async function toAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  behindMs: number | null,
): Promise<S3Answer> {
  const bytes = Buffer.from(await body.arrayBuffer());
  const error = status < 300 ? { code: null, message: null, region: null } : parseError(bytes);
  const region = [headers['x-amz-bucket-region']].flat()[0] ?? error.region;
  const etag = [headers.etag].flat()[0] ?? null;
  return { status, etag, body: bytes, error: { ...error, region }, isRepeated: false, behindMs };
}

function hashOf(body: Body | undefined): string {
  if (body === undefined) return NOTHING;
  const hash = createHash('sha256');
  for (const piece of body) hash.update(piece);
  return hash.digest('hex');
}

const countBytes = (body: Body = []): number => body.reduce((sum, { byteLength }) => sum + byteLength, 0);
