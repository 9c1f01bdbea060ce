import { describe, expect, it } from 'vitest';
import { openQuickStore } from '../support/fixtures/test-store.ts';
import { hasMoto, startMoto } from '../support/servers/moto.ts';

const bytes = (text: string) => [Buffer.from(text)];
const KEY = 'latest/account=a b+c%&é.json';

describe.skipIf(!hasMoto())('a store on moto (skipped where python3 has no moto.server)', () => {
  it('keeps conditional writes, lists over more than one page, and deletes', async () => {
    const place = await startMoto();
    const store = openQuickStore(place);
    expect(await store.get(KEY)).toBe(null);
    const first = await store.putIfAbsent(KEY, bytes('one'));
    expect(first).toEqual(expect.any(String));
    expect(await store.putIfAbsent(KEY, bytes('two'))).toBe(null);
    const second = await store.replace(KEY, bytes('three'), first ?? '');
    expect(await store.replace(KEY, bytes('four'), first ?? '')).toBe(null);
    expect(await store.replace('latest/none', bytes('four'), first ?? '')).toBe(null);
    expect(await store.get(KEY)).toEqual({ body: Buffer.from('three'), etag: second });

    const keys = Array.from({ length: 1005 }, (_, index) => `data/${String(index).padStart(4, '0')}`);
    for (let at = 0; at < keys.length; at += 20)
      await Promise.all(keys.slice(at, at + 20).map((key) => store.put(key, bytes(key))));
    const list = async (prefix: string, after?: string) => {
      const found: string[] = [];
      for await (const { key } of store.list(prefix, after)) found.push(key);
      return found;
    };
    expect(await list('data/')).toEqual(keys);
    expect(await list('data/', keys[1002])).toEqual(keys.slice(1003));
    expect(await list('latest/')).toEqual([KEY]);
    await store.remove([...keys, 'data/none']);
    expect(await list('')).toEqual([KEY]);
  });

  it('tells of a bucket that is not there', async () => {
    const place = await startMoto();
    const store = openQuickStore({ ...place, bucket: 'other' });
    await expect(store.put(KEY, bytes('one'))).rejects.toMatchObject({
      code: 'NoSuchBucket',
      retry: 'hourly',
    });
  });
});
