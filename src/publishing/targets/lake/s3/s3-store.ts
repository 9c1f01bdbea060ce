/** A lake in a bucket of an S3-compatible store: five calls, of which two writes are conditional. */
import { formatLakePlace } from '../../../../lib/lake-place.ts';
import type { Body, ListedObject, S3Place, Store, StoredObject } from '../store.ts';
import { toBucketKey } from './s3-address.ts';
import { parseListPage, toEtag } from './s3-answers.ts';
import { createS3Client, type S3Client } from './s3-client.ts';
import { toCode, toNoS3, toRefusal } from './s3-errors.ts';
import type { S3Answer } from './s3-messages.ts';
import { S3_TIMINGS, type S3Timings } from './s3-timings.ts';

/** Objects that are deleted at once. */
const DELETIONS = 8;

/** Connects when needed. The caller closes it: that ends requests under way, with a StoreError. */
export function openS3Store(place: S3Place, timings: S3Timings = S3_TIMINGS): Store {
  const client = createS3Client(place, timings);
  const name = formatLakePlace(place);
  const toKey = (key: string) => toBucketKey(place, key);

  async function get(key: string): Promise<StoredObject | null> {
    const answer = await client.send({ method: 'GET', key: toKey(key) });
    if (isMissing(answer)) return null;
    return { body: accept(answer, place).body, etag: etagOf(answer, place) };
  }

  /** Null where the condition was not met. */
  async function putIf(key: string, body: Body, headers: Record<string, string>): Promise<string | null> {
    const answer = await client.send({ method: 'PUT', key: toKey(key), body, headers });
    if (answer.status === 412 || isMissing(answer)) return answer.isRepeated ? findOwn(key, body) : null;
    return etagOf(accept(answer, place), place);
  }

  /** A write whose answer was lost finds its own bytes there. */
  async function findOwn(key: string, body: Body): Promise<string | null> {
    const found = await get(key);
    return found && isSame(found.body, body) ? found.etag : null;
  }

  return {
    name,
    get,
    put: async (key, body) => {
      const answer = await client.send({ method: 'PUT', key: toKey(key), body });
      return etagOf(accept(answer, place), place);
    },
    putIfAbsent: (key, body) => putIf(key, body, { 'if-none-match': '*' }),
    replace: (key, body, etag) => putIf(key, body, { 'if-match': `"${etag}"` }),
    list: (prefix, after) => list(client, place, prefix, after),
    remove: async (keys) => {
      for (let start = 0; start < keys.length; start += DELETIONS)
        await removeSome(client, place, keys.slice(start, start + DELETIONS).map(toKey));
    },
    now: client.now,
    toUri: (key) => `${name}/${key}`,
    close: client.close,
  };
}

/** All pages of a list. A store that answers with the same page again is no endless list. */
async function* list(
  client: S3Client,
  place: S3Place,
  prefix: string,
  after?: string,
): AsyncGenerator<ListedObject> {
  const own = toBucketKey(place, '');
  const query = {
    ...{ 'list-type': '2', 'encoding-type': 'url', prefix: `${own}${prefix}` },
    ...(after !== undefined && { 'start-after': `${own}${after}` }),
  };
  let last = after ?? '';
  for (let next: string | null = ''; next !== null;) {
    const page: Record<string, string> = next === '' ? query : { ...query, 'continuation-token': next };
    const answer = accept(await client.send({ method: 'GET', key: null, query: page }), place);
    const found = parseListPage(answer.body);
    if (found === null) throw toNoS3(place, answer);
    const objects = found.objects.map((object) => ({ ...object, key: object.key.slice(own.length) }));
    const end = objects.at(-1)?.key ?? null;
    if (next !== '' && end !== null && end <= last) throw toNoS3(place, answer);
    yield* objects.filter(({ key }) => key > last && !key.endsWith('/')); // consoles write an object for a folder
    last = end ?? last;
    if (found.next !== null && found.next === next) throw toNoS3(place, answer);
    next = found.next;
  }
}

async function removeSome(client: S3Client, place: S3Place, keys: readonly string[]): Promise<void> {
  const removed = await Promise.allSettled(
    keys.map(async (key) => {
      const answer = await client.send({ method: 'DELETE', key });
      if (!isMissing(answer)) accept(answer, place);
    }),
  );
  const failed = removed.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The object is not there, but the bucket is. */
const isMissing = (answer: S3Answer): boolean => answer.status === 404 && toCode(answer) === 'NoSuchKey';

function accept(answer: S3Answer, place: S3Place): S3Answer {
  if (answer.status < 200 || answer.status >= 300) throw toRefusal(answer, place);
  return answer;
}

function etagOf(answer: S3Answer, place: S3Place): string {
  if (answer.etag === null) throw toNoS3(place, answer);
  return toEtag(answer.etag);
}

function isSame(found: Uint8Array, body: Body): boolean {
  let at = 0;
  for (const piece of body) {
    if (Buffer.compare(found.subarray(at, at + piece.byteLength), piece) !== 0) return false;
    at += piece.byteLength;
  }
  return at === found.byteLength;
}
