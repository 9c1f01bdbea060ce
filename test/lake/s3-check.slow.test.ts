import { describe, expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { checkTarget } from '../../src/publishing/targets/lake/check.ts';
import { createS3LakeConfig } from '../support/fixtures/s3-lake-site.ts';
import { startS3Server, type S3Server, type S3ServerRequest } from '../support/servers/s3-server.ts';

/** What a worker with the account main is told, by what was checked. */
async function check(server: S3Server, changes: { endpoint?: string; deadlineMs?: number } = {}) {
  const { endpoint = server.endpoint, deadlineMs } = changes;
  const request = {
    target: createS3LakeConfig(server, { place: server.place('some/lake', { endpoint }) }),
    holder: { worker: 'eu-1', instance: 'one' },
    warehouseId: '3d5ed779-0708-48bc-b6c3-383af014896a',
    accounts: ['main'],
    marts: createMarts({ durationUnit: 'ms', exclude: [] }),
    timezone: 'Asia/Seoul',
  };
  const checks = await checkTarget(request, deadlineMs);
  return Object.fromEntries(
    checks.map(({ asked, state, result, hint }) => [
      asked,
      `${state}: ${result}${hint === null ? '' : ` -> ${hint}`}`,
    ]),
  );
}

const PROBE = /^some\/lake\/workers\/check-/;
const isProbe = ({ key }: S3ServerRequest) => PROBE.test(key);

describe('the check of a lake on S3', () => {
  it('writes, lists and deletes one object, which is gone then', async () => {
    const server = await startS3Server();
    expect(await check(server)).toEqual({
      connection: `ok: bucket lake at ${server.endpoint}`,
      rights: 'ok: objects can be written and deleted',
      'conditional writes': 'ok: kept',
      clock: 'ok: as that of this machine',
      'account main': 'ok: not loaded yet',
    });
    expect(server.objects.size).toBe(0);
    const done = server.requests.map((request) => (isProbe(request) ? request.method : `${request.method}?`));
    const lastWrite = done.lastIndexOf('PUT');
    expect(done.slice(lastWrite)).toEqual(['PUT', 'GET?', 'DELETE', 'GET']);
  });

  it('finds out that conditional writes are ignored, and says what that means', async () => {
    const server = await startS3Server({ isConditional: false });
    const found = await check(server);
    expect(found['conditional writes']).toBe(
      'failed: the store ignores If-None-Match and If-Match: it writes over what it should keep -> two workers that load one account could overwrite each other there: let one worker load it',
    );
    expect(found['rights']).toMatch(/^ok/);
    expect(server.objects.size).toBe(0);
  });

  it('warns of an endpoint without TLS beyond loopback', async () => {
    const server = await startS3Server();
    const endpoint = server.endpoint.replace('127.0.0.1', '0.0.0.0'); // reaches this machine, too
    const { connection } = await check(server, { endpoint });
    expect(connection).toBe(
      `warning: bucket lake at ${endpoint}, without TLS -> rows, and a session token, can be read on the way: take an \`endpoint:\` that begins with https://`,
    );
  });

  it.each([
    ['from the first request', () => true, 'connection'],
    ['when it is written to', ({ method }: S3ServerRequest) => method === 'PUT', 'rights'],
  ] as const)('says of a store that freezes %s that it does not answer', async (_name, isFrozen, asked) => {
    const server = await startS3Server();
    server.order((request) => (isFrozen(request) ? { kind: 'freeze', isApplied: true } : null));
    const found = await check(server, { deadlineMs: 500 });
    expect(Object.keys(found).at(-1)).toBe(asked);
    expect(found[asked]).toBe(
      `failed: s3://lake/some/lake did not answer for 0.5 s -> look whether the store works, and whether a firewall is in between`,
    );
  });

  it('deletes what a check left that was broken off, and not what another check writes at this moment', async () => {
    const server = await startS3Server();
    const put = (name: string, ageMs: number) =>
      server.objects.set(`some/lake/workers/${name}`, {
        body: Buffer.from('four'),
        etag: 'four',
        modifiedAtMs: Date.now() - ageMs,
      });
    put('check-old', 2 * 3_600_000);
    put('check-new', 1000);
    await check(server);
    expect([...server.objects.keys()]).toEqual(['some/lake/workers/check-new']);
  });

  it('finds out that a deleted object stays, and that a written one is not listed', async () => {
    const server = await startS3Server();
    server.order((request) =>
      request.method === 'DELETE' && isProbe(request) ? { kind: 'answer', status: 204 } : null,
    );
    expect((await check(server))['rights']).toContain('failed: an object that was deleted is still there');
    const empty = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
    server.order(({ method, key }) =>
      method === 'GET' && key === '' ? { kind: 'answer', status: 200, body: empty } : null,
    );
    expect((await check(server))['rights']).toContain(
      'failed: an object that was written is not in the list',
    );
  });
});
