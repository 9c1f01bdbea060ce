import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withSession } from '../../src/publishing/targets/postgres/session.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

vi.setConfig({ testTimeout: 30_000 });

const TERMINATE = 'X'.charCodeAt(0);

describe.skipIf(findPostgres() === null)('a session with a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** The port of a proxy that passes everything on, except the goodbye of a client. */
  async function startDeafProxy(): Promise<number> {
    const sockets = new Set<Socket>();
    const proxy = createServer({ allowHalfOpen: true }, (client) => {
      const upstream = connect(server.port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.on('data', (data) => data[0] !== TERMINATE && upstream.write(data));
      upstream.on('data', (data) => client.write(data));
      client.on('close', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    return (proxy.address() as AddressInfo).port;
  }

  it('ends although the server does not answer the goodbye', async () => {
    const url = server.url.replace(`:${server.port}/`, `:${await startDeafProxy()}/`);
    const one = await withSession(createTargetConfig(url), 3_600_000, (session) =>
      session.queryOne('SELECT 1 AS one'),
    );
    expect(one).toEqual({ one: 1 });
  });

  it('tells the error of the server that ended a COPY', async () => {
    const site = openTargetSite(server);
    site.register();
    await site.walk([1]);
    await site.ship();
    await site.query(`DELETE FROM $.vodhouse_account; DELETE FROM $.videos; DELETE FROM $.video_tags`);
    await site.query('ALTER TABLE $.videos ADD CONSTRAINT few CHECK (video_id < 1000)');
    await site.walk(Array.from({ length: 20_000 }, (_, index) => index + 1));
    await site.publish();
    const { main } = await site.load();
    expect(main).toMatchObject({ outcome: 'failed', code: '23514' });
    expect(main?.error).toContain('violates check constraint "few"');
  });
});
