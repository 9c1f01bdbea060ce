import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/publishing/targets/lake/open-store.ts';
import type { ListedObject, Store } from '../../src/publishing/targets/lake/store.ts';
import { openTestStore, PLACES } from '../support/fixtures/test-store.ts';

const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text));
const KEY = 'latest/account=a_b.json';

async function listAll(store: Store, prefix: string, after?: string): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for await (const each of store.list(prefix, after)) found.push(each);
  return found;
}

describe.each(PLACES)('a store on %s', (kind) => {
  it('gives back what was written, in pieces or empty, and nothing of what was not', async () => {
    const { store } = await openTestStore(kind);
    const etag = await store.put(KEY, bytes('one', '', ' two'));
    expect(await store.get(KEY)).toEqual({ body: Buffer.from('one two'), etag });
    expect(await store.get('latest/other.json')).toBe(null);
    expect(await store.get('latest/account=a_b.json/below')).toBe(null);
    for (const empty of [[], bytes('')]) {
      await store.put(KEY, empty);
      expect((await store.get(KEY))?.body.byteLength).toBe(0);
    }
  });

  it('gives back every byte of a body of many pieces', async () => {
    const { store } = await openTestStore(kind);
    const body = Array.from({ length: 300 }, (_, index) => Buffer.alloc(10_000 + index, index));
    await store.put('data/large', body);
    expect(
      Buffer.compare((await store.get('data/large'))?.body ?? Buffer.alloc(0), Buffer.concat(body)),
    ).toBe(0);
  });

  it('writes over an object', async () => {
    const { store } = await openTestStore(kind);
    const first = await store.put(KEY, bytes('one'));
    const second = await store.put(KEY, bytes('two'));
    expect(second).not.toBe(first);
    expect(await store.get(KEY)).toEqual({ body: Buffer.from('two'), etag: second });
  });

  it('writes an object where there is none, once', async () => {
    const { store } = await openTestStore(kind);
    const etag = await store.putIfAbsent(KEY, bytes('one'));
    expect(etag).toEqual(expect.any(String));
    expect(await store.putIfAbsent(KEY, bytes('two'))).toBe(null);
    expect(await store.putIfAbsent(KEY, bytes('one'))).toBe(null);
    expect(await store.get(KEY)).toEqual({ body: Buffer.from('one'), etag });
  });

  it('has one winner of many that write an object where there is none', async () => {
    const { store } = await openTestStore(kind);
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.putIfAbsent(KEY, bytes(`writer ${index}`))),
    );
    const winners = written.flatMap((etag, index) => (etag === null ? [] : [`writer ${index}`]));
    expect(winners).toHaveLength(1);
    expect(String((await store.get(KEY))?.body)).toBe(winners[0]);
  });

  it('replaces an object that is the one that was read, and no other one', async () => {
    const { store } = await openTestStore(kind);
    const first = await store.put(KEY, bytes('one'));
    const second = await store.replace(KEY, bytes('two'), first);
    expect(await store.get(KEY)).toEqual({ body: Buffer.from('two'), etag: second });
    expect(await store.replace(KEY, bytes('three'), first)).toBe(null);
    expect(await store.replace('latest/none.json', bytes('three'), first)).toBe(null);
    expect(String((await store.get(KEY))?.body)).toBe('two');
    expect(await store.get('latest/none.json')).toBe(null);
  });

  it('lists the objects below a prefix, sorted, page by page, those after a key only', async () => {
    const { store } = await openTestStore(kind);
    const keys = Array.from(
      { length: 11 },
      (_, index) => `manifest/account=a/${String(index).padStart(3, '0')}.json`,
    );
    for (const key of [...keys].reverse()) await store.put(key, bytes(key));
    await store.put('manifest/account=ab/000.json', bytes('another account'));
    const listed = await listAll(store, 'manifest/account=a/');
    expect(listed.map(({ key }) => key)).toEqual(keys);
    expect(new Set(listed.map((each) => each.bytes))).toEqual(new Set([27]));
    expect(listed.every((each) => Math.abs(each.modifiedAtMs - store.now()) < 60_000)).toBe(true);
    expect((await listAll(store, 'manifest/account=a/', keys[7])).map(({ key }) => key)).toEqual(
      keys.slice(8),
    );
    expect(await listAll(store, 'manifest/account=a/', keys[10])).toEqual([]);
    expect(await listAll(store, 'data/')).toEqual([]);
    expect(await listAll(store, 'manifest/')).toHaveLength(12);
  });

  it('lists no object outside its own place', async () => {
    const { store, place } = await openTestStore(kind);
    await store.put('latest/one', bytes('one'));
    const below = openStore(
      place.kind === 'folder'
        ? { ...place, path: `${place.path}/latest` }
        : { ...place, prefix: `${place.prefix}/latest` },
    );
    expect(await listAll(below, '')).toHaveLength(1);
    expect(await listAll(below, 'latest/')).toEqual([]);
    await below.close();
  });

  it('deletes objects, also those that are not there', async () => {
    const { store } = await openTestStore(kind);
    const keys = Array.from({ length: 20 }, (_, index) => `data/videos/${index}`);
    for (const key of keys) await store.put(key, bytes(key));
    await store.remove([...keys.slice(1), 'data/videos/none', 'none/none']);
    await store.remove([]);
    expect((await listAll(store, 'data/')).map(({ key }) => key)).toEqual(['data/videos/0']);
  });

  it('tells the address of an object to readers', async () => {
    const { store, place } = await openTestStore(kind);
    const root = place.kind === 'folder' ? place.path : `s3://${place.bucket}/${place.prefix}`;
    expect(store.toUri('files/videos.txt')).toBe(`${root}/files/videos.txt`);
    expect(store.name).toBe(root);
  });
});
