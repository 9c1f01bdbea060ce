import { describe, expect, it } from 'vitest';
import { openDeltaTarget } from '../../src/publishing/targets/delta/delta-target.ts';
import { openBucket } from '../../src/publishing/targets/stores/s3.ts';
import type { TargetError } from '../../src/publishing/targets/target.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';
import { startS3Server, type S3Server } from '../support/servers/s3-server.ts';

const text = (value: string) => [Buffer.from(value)];
const read = (body: Uint8Array | null) => body && Buffer.from(body).toString();
const open = (server: S3Server, changes: Parameters<S3Server['place']>[1] = {}) =>
  openDeltaTarget(createLakeConfig('', { place: server.place('lake', changes) }), '');

describe('a bucket', () => {
  it('has objects below a prefix of its own, all pages of a list, and keeps what is there', async () => {
    const server = await startS3Server({ maxKeys: 2 });
    const store = openBucket(server.place('a b/lake'));
    for (const name of ['one', 'two', 'three']) await store.put(`t/${name} +ä`, text(name));
    await store.put('t/_delta_log/0.json', text('{}'));
    expect((await store.list('t/')).map(({ key }) => key)).toEqual(['t/one +ä', 't/three +ä', 't/two +ä']);
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
    const wrong = open(server, { secretAccessKey: 'wrong' });
    await expect(wrong.readAccounts()).rejects.toThrow(/SignatureDoesNotMatch/);
    expect(server.requests).toHaveLength(1);
    await expect(open(server, { bucket: 'other' }).check()).rejects.toMatchObject({
      hint: expect.stringContaining('aws s3 mb s3://other') as string,
    });
  });

  it.each([
    [500, 'InternalError', 'the store itself fails'],
    [507, 'XMinioStorageFull', 'the store itself fails'],
    [429, 'TooManyRequests', 'the store itself fails or is busy'],
    [403, 'InvalidAccessKeyId', 'correct the keys'],
    [403, 'RequestTimeTooSkewed', 'the clock of this machine'],
    [301, 'PermanentRedirect', '`region:`'],
    [400, 'AuthorizationHeaderMalformed', '`region:`'],
  ])('that answers %s %s has a hint that fits', async (status, code, hint) => {
    const server = await startS3Server();
    server.order(() => ({ kind: 'answer', status, code }));
    const store = openBucket(server.place(), { retries: 0 });
    await expect(store.get('one')).rejects.toMatchObject({
      message: expect.stringContaining(`${status}: ${code}`) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it('is checked for put-if-absent: one that ignores the header is refused by name', async () => {
    expect(await open(await startS3Server()).check()).toContain('none that exists is overwritten');
    await expect(open(await startS3Server({ isConditional: false })).check()).rejects.toThrow(
      'If-None-Match',
    );
  });

  it('shows its login in no message, whatever the store answers', async () => {
    const server = await startS3Server({ secretAccessKey: 'canary-secret-key' });
    server.order(() => ({
      kind: 'answer',
      status: 403,
      code: 'Odd',
      message: 'AKIAEXAMPLE canary-secret-key',
    }));
    const { message, hint } = (await open(server)
      .check()
      .catch((error: unknown) => error)) as TargetError;
    expect(message).toContain('Odd');
    expect(`${message} ${hint}`).not.toMatch(/AKIAEXAMPLE|canary/);
  });
});
