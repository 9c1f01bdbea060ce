import { describe, expect, it } from 'vitest';
import { createS3LakeConfig, openS3LakeSite } from '../support/fixtures/s3-lake-site.ts';
import { startS3Server } from '../support/servers/s3-server.ts';

describe('a lake on S3', () => {
  it('makes requests for pointers only where nothing is new', async () => {
    const server = await startS3Server();
    const site = openS3LakeSite(server);
    site.register([101], ['main', 'second']);
    await site.walk([1, 2, 3]);
    await site.ship();
    server.restart();
    const results = await site.load();
    expect(Object.values(results).map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    const asked = server.requests.map(({ method, key }) => `${method} ${key}`);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((line) => !line.startsWith('GET some/lake/latest/'))).toEqual([]);
  });
});

describe('two workers of one account on S3', () => {
  it('one wins, and the other one stops and says who won', async () => {
    const server = await startS3Server();
    const one = openS3LakeSite(server, { worker: 'eu-1' });
    one.register();
    await one.walk([1, 2]);
    await one.ship();
    // the same worker, frozen at its commit while a copy of it runs elsewhere
    await one.walk([1, 2, 3]);
    await one.publish();
    let isRaced = false;
    server.order(({ method, key, ifNoneMatch }) => {
      if (isRaced || method !== 'PUT' || ifNoneMatch !== '*' || !key.includes('/manifest/account=main/'))
        return null;
      isRaced = true;
      const theirs = [...server.objects].filter(([name]) => name.includes('/manifest/account=main/')).at(-1);
      const document = JSON.parse(String(theirs?.[1].body)) as {
        load: number;
        facts: { worker: string; instance: string };
      };
      document.load++;
      Object.assign(document.facts, { worker: 'eu-2', instance: 'other' });
      const sign = {
        format: 1,
        worker: 'eu-2',
        instance: 'other',
        renewed_at: '2026-01-01 00:00:00',
        lease_until: '2099-01-01 00:00:00',
      };
      server.objects.set('some/lake/workers/other.json', {
        body: Buffer.from(JSON.stringify(sign)),
        etag: 'sign',
        modifiedAtMs: Date.now(),
      });
      server.objects.set(key, {
        body: Buffer.from(JSON.stringify(document)),
        etag: 'eu-2',
        modifiedAtMs: Date.now(),
      });
      return null;
    });
    const { main } = await one.load();
    expect(isRaced).toBe(true);
    expect(main).toMatchObject({ outcome: expect.not.stringMatching(/^(?:loaded|unchanged)$/) as unknown });
    expect(main?.error).toContain('loaded by eu-2');
  });

  it('that claim it at the same moment: exactly one has it', async () => {
    const server = await startS3Server();
    const sites = ['eu-1', 'eu-2'].map((worker) => openS3LakeSite(server, { worker }));
    for (const site of sites) {
      site.register();
      await site.walk([1, 2]);
      await site.publish();
    }
    const results = await Promise.all(sites.map((site) => site.load()));
    const outcomes = results.map(({ main }) => main?.outcome);
    expect(outcomes.filter((outcome) => outcome === 'loaded')).toHaveLength(1);
    const loser = results.find(({ main }) => main?.outcome !== 'loaded');
    expect(loser?.['main']?.error).toMatch(/eu-[12]/);
    const winner = sites[outcomes.indexOf('loaded')];
    const own = (await winner?.differences())?.filter((line) =>
      /^(?:videos|video_history|packages)\b/.test(line),
    );
    expect(own).toEqual([]);
  });
});

describe('a store that stands still in the middle of a load', () => {
  it('ends the load after load_timeout, and the next one goes on', async () => {
    const server = await startS3Server();
    const site = openS3LakeSite(server);
    site.register();
    await site.walk([1, 2, 3]);
    await site.publish();
    server.order(({ method, key }) =>
      method === 'PUT' && key.includes('/data/videos/') ? { kind: 'freeze', isApplied: false } : null,
    );
    const target = createS3LakeConfig(server, { loadTimeoutMs: 1500 });
    expect(await site.load({}, target)).toMatchObject({
      main: {
        outcome: 'failed',
        error: expect.stringContaining('the load was not done after 2 s') as string,
      },
    });
    server.order(() => null);
    expect(await site.load()).toMatchObject({ main: { outcome: 'loaded' } });
    expect(await site.differences()).toEqual([]);
  });
});
