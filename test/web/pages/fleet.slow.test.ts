import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { startWebProcess } from '../../../src/web/process/supervisor.ts';
import { createRecordingClock } from '../../support/clocks/recording-clock.ts';
import { openTargetSite } from '../../support/fixtures/target-site.ts';
import { configToServe, liveFileToServe } from '../../support/servers/open-web-server.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('the page of the fleet', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function serve(targets: string) {
    const config = configToServe(liveFileToServe(), [], `publish: { targets: [${targets}] }`);
    const web = await startWebProcess(config, {
      clock: createRecordingClock(),
      logger: createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined }),
      environment: {},
      signal: new AbortController().signal,
    });
    onTestFinished(() => web.close());
    return async (path: string) => {
      const response = await fetch(`${web.url}${path}`);
      return { status: response.status, text: (await response.text()).replaceAll(/<[^>]+>/g, ' ') };
    };
  }

  it('shows all workers of a target, and says of one that is down or frozen that it is', async () => {
    const site = openTargetSite(server, { worker: 'eu-1', start: new Date().toISOString() });
    site.register();
    await site.walk([1, 2]);
    await site.ship();
    const frozen = await startPostgres();
    onTestFinished(() => frozen.remove());
    frozen.signal('SIGSTOP');
    const read = await serve(
      [
        `{ name: up, postgres: '${server.url}', schema: ${site.schema} }`,
        `{ name: down, postgres: 'postgres://u:s3cret-word@127.0.0.1:1/x' }`,
        `{ name: frozen, postgres: '${frozen.url}' }`,
      ].join(', '),
    );
    const asked = read('/fleet');
    expect((await read('/healthz')).status).toBe(200); // nobody waits for a frozen target
    const { status, text } = await asked;
    expect(status).toBe(200);
    expect(text).toContain('All in order: 1 account of 1 worker');
    expect(text).toMatch(/eu-1\s+main/);
    expect(text).toContain('nothing listens at 127.0.0.1:1');
    expect(text).toMatch(/frozen[\s\S]*did not answer/);
    expect(text).not.toContain('s3cret-word');
  });

  it('is not there without a target', async () => {
    expect((await (await serve(''))('/fleet')).status).toBe(404);
  });
});
