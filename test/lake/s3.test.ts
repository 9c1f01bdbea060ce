import { describe, expect, it } from 'vitest';
import { openDeltaAccess } from '../../src/publishing/targets/delta/delta-target.ts';
import { openBucket } from '../../src/publishing/targets/stores/s3.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';
import { startS3Server, type S3Server } from '../support/servers/s3-server.ts';

const text = (value: string) => [Buffer.from(value)];
const read = (body: Uint8Array | null) => body && Buffer.from(body).toString();
const access = (server: S3Server, changes: Parameters<S3Server['place']>[1] = {}) =>
  openDeltaAccess(createLakeConfig('', { place: server.place('lake', changes) }));

describe('a bucket', () => {
  it('has objects below a prefix of its own, all pages of a list, and keeps what is there', async () => {
    const server = await startS3Server({ maxKeys: 2 });
    const store = openBucket(server.place('a b/lake'));
    for (const name of ['one', 'two', 'three']) await store.put(`t/${name} +ä`, text(name));
    await store.put('t/_delta_log/0.json', text('{}'));
    expect((await store.list('t/')).map(({ key }) => key)).toEqual(['t/one +ä', 't/three +ä', 't/two +ä']);
    expect((await store.list('t/', 't/one +ä')).map(({ key }) => key)).toEqual(['t/three +ä', 't/two +ä']);
    expect(await store.putIfAbsent('t/one +ä', text('other'))).toBe(false);
    expect(read(await store.get('t/one +ä'))).toBe('one');
    await store.remove('t/one +ä');
    await store.remove('t/one +ä');
    expect(await store.get('t/one +ä')).toBeNull();
    expect([...server.objects.keys()].every((key) => key.startsWith('a b/lake/'))).toBe(true);
  });

  it.each([
    [{ kind: 'answer', status: 503, code: 'SlowDown' }],
    [{ kind: 'close', isApplied: false }],
    [{ kind: 'close', isApplied: true }],
    [{ kind: 'applied', status: 500, code: 'InternalError' }],
    [{ kind: 'cut' }],
  ] as const)('is asked again after %j', async (fault) => {
    const server = await startS3Server();
    const store = openBucket(server.place());
    server.order(({ number }) => (number === 1 ? fault : null));
    await store.put('one', text('one'));
    expect(read(await store.get('one'))).toBe('one');
  });

  it('that refuses is not asked again, and its own code and message are shown', async () => {
    const server = await startS3Server();
    const wrong = await access(server, { secretAccessKey: 'wrong' });
    await expect(wrong.readAccounts()).rejects.toThrow(/SignatureDoesNotMatch/);
    expect(server.requests).toHaveLength(1);
    expect((await access(server, { bucket: 'other' }).then((each) => each.check()))[0]).toMatchObject({
      ...{ subject: 'connection', isOk: false, hint: expect.stringContaining('make the bucket') as string },
    });
  });

  it('is checked for put-if-absent: one that ignores the header is refused by name', async () => {
    const good = await access(await startS3Server());
    expect((await good.check()).map(({ subject, isOk }) => [subject, isOk])).toEqual([
      ['connection', true],
      ['rights', true],
      ['put-if-absent', true],
    ]);
    const bad = await (await access(await startS3Server({ isConditional: false }))).check();
    expect(bad.at(-1)).toMatchObject({
      isOk: false,
      result: expect.stringContaining('If-None-Match') as string,
    });
  });

  it('shows its login in no message, whatever the store answers', async () => {
    const server = await startS3Server({ secretAccessKey: 'canary-secret-key' });
    server.order(() => ({
      kind: 'answer',
      status: 403,
      code: 'Odd',
      message: 'AKIAEXAMPLE canary-secret-key',
    }));
    const target = await access(server);
    const [check] = await target.check();
    expect(JSON.stringify(check)).toContain('Odd');
    expect(JSON.stringify(check)).not.toMatch(/AKIAEXAMPLE|canary/);
  });
});
