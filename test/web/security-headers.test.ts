import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp, listen } from '../../src/service/server/server.ts';
import { addSecurityHeaders } from '../../src/web/security-headers.ts';
import { browse } from '../support/browser/browser-request.ts';

const CONTENT: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  text: 'text/plain; version=0.0.4',
};

const STRICT = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

async function serve(keys: readonly string[] = []) {
  const app = createApp({});
  addSecurityHeaders(app, { keys });
  app.get('/json', async (_request, reply) =>
    reply.header('cache-control', 'private, no-cache').send({ one: 1 }),
  );
  app.get('/error', () => Promise.reject(new Error('no')));
  for (const [name, type] of Object.entries(CONTENT)) {
    app.get(`/${name}`, async (_request, reply) =>
      reply.type(type).header('cache-control', 'public').send('<p>'),
    );
  }
  onTestFinished(() => app.close());
  return (await listen(app, { host: '127.0.0.1', port: 0 })).url;
}

describe('security headers', () => {
  it('are complete for every page, style sheet, script and picture', async () => {
    const url = await serve();
    for (const name of ['html', 'css', 'js', 'svg']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await browse(`${url}/${name}`, { method });
        expect(headers).toMatchObject({ ...STRICT, 'x-content-type-options': 'nosniff' });
      }
    }
  });

  it('are only nosniff for data, errors included', async () => {
    const url = await serve();
    for (const path of ['/json', '/text', '/error', '/none', '/%E0%A4%A']) {
      const { headers } = await browse(`${url}${path}`);
      expect([path, headers['x-content-type-options']]).toEqual([path, 'nosniff']);
      for (const name of Object.keys(STRICT)) expect(headers).not.toHaveProperty(name);
    }
  });

  it.each([
    [[], 'no-cache'],
    [['server-key-of-20-char'], 'no-store'],
  ])('require revalidation of a page, with keys %j: %s', async (keys, pages) => {
    const url = await serve(keys);
    const getCaching = async (path: string) => (await browse(`${url}${path}`)).headers['cache-control'];
    expect(await getCaching('/html')).toBe(pages);
    expect([await getCaching('/css'), await getCaching('/json'), await getCaching('/none')]).toEqual([
      'public',
      'private, no-cache',
      undefined,
    ]);
  });
});
