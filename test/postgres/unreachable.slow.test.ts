import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import { describeTargetError } from '../../src/publishing/targets/postgres/target-errors.ts';
import { createTargetConfig, VERIFIED } from '../support/fixtures/target-config.ts';
import { ENCODED, fail, WORD } from '../support/servers/target-client.ts';

describe('a server that does not answer as PostgreSQL', () => {
  async function listen(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => onConnection(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }
  const to = (place: string, changes: Partial<PostgresTargetConfig> = {}) =>
    fail(createTargetConfig(`postgres://loader:${ENCODED}@${place}/db`, changes));

  it('has a closed port', async () => {
    const port = await listen((socket) => socket.destroy());
    expect(await to(`127.0.0.1:${port}`)).toEqual({
      message: `the connection to 127.0.0.1:${port} was lost`,
      hint: expect.any(String) as string,
      code: null,
      retry: 'backoff',
    });
    expect(await to('127.0.0.1:1')).toMatchObject({
      message: 'nothing listens at 127.0.0.1:1',
      code: 'ECONNREFUSED',
      retry: 'backoff',
    });
    expect((await to('localhost:1')).message).toBe('nothing listens at localhost:1');
    expect(await fail(createTargetConfig('postgres://me@/db?host=/nowhere'))).toMatchObject({
      message: 'nothing listens at /nowhere/.s.PGSQL.5432',
      hint: expect.stringContaining('unix_socket_directories') as string,
    });
  });

  it('has a name that nobody knows', async () => {
    expect(await to('none.invalid')).toMatchObject({
      message: 'the name of none.invalid:5432 is unknown to the DNS',
      hint: 'correct the host in `postgres:`, or check the DNS of this machine',
    });
  });

  it('speaks something else', async () => {
    const port = await listen(
      (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    expect((await to(`127.0.0.1:${port}`, VERIFIED)).message).toContain(
      `no TLS connection to 127.0.0.1:${port}`,
    );
  });

  it('is given up after 10 seconds', async () => {
    const port = await listen(() => undefined);
    const [plain, tls] = await Promise.all([to(`127.0.0.1:${port}`), to(`127.0.0.1:${port}`, VERIFIED)]);
    const unanswered = {
      message: `127.0.0.1:${port} did not answer within 10 s`,
      code: 'ETIMEDOUT',
      retry: 'backoff',
    };
    expect(plain).toMatchObject(unanswered);
    expect(tls).toMatchObject(unanswered);
  });
});

it.each([
  ['CERT_HAS_EXPIRED', 'has expired', 'its owner must renew it'],
  ['CERT_NOT_YET_VALID', 'is not valid yet', 'check the clock'],
])('a certificate out of its time has a hint of its own: %s', (code, message, hint) => {
  const target = createTargetConfig('postgres://me@db.test/db', VERIFIED);
  expect(describeTargetError(Object.assign(new Error('certificate'), { code }), target)).toEqual({
    message: `the certificate of db.test:5432 ${message}`,
    hint: expect.stringContaining(hint) as string,
    ...{ code, retry: 'backoff' },
  });
});

it.each([
  [{ syscall: 'connect' }, 'did not answer within 10 s'],
  [{ syscall: 'read' }, 'the connection to db.test:5432 was lost'],
  [{}, 'db.test:5432 did not answer in time'],
])('a time that ended says which one: %o', (fields, message) => {
  const target = createTargetConfig('postgres://me@db.test/db');
  const error = Object.assign(new Error('late'), { code: 'ETIMEDOUT', ...fields });
  const failure = describeTargetError(error, target);
  expect(failure).toMatchObject({ message: expect.stringContaining(message) as string, code: 'ETIMEDOUT' });
});

it('other errors keep their message, and a missing file is no missing server', () => {
  const target = createTargetConfig(`postgres://loader:${ENCODED}@db.test/db`);
  const missing = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' });
  expect(describeTargetError(missing, target)).toEqual({
    ...{ message: 'ENOENT: no such file', hint: null, code: 'ENOENT', retry: 'backoff' },
  });
  expect(describeTargetError(new Error(`x ${ENCODED} y ${WORD}`), target).message).toBe('x *** y ***');
});
