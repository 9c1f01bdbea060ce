import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import compress from '@fastify/compress';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp, listen } from '../../src/service/server/server.ts';
import { openAssets, type Assets } from '../../src/web/assets.ts';
import { addSecurityHeaders } from '../../src/web/security-headers.ts';
import { browse } from '../support/browser/browser-request.ts';

const FILES: [string, string, string][] = [
  ['page.js', 'text/javascript; charset=utf-8', 'dist/browser/page.js'],
  ['icon.svg', 'image/svg+xml', 'assets/icon.svg'],
  ['chart.css', 'text/css; charset=utf-8', 'assets/chart.css'],
];

const fileAt = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

async function serve(assets: Assets = openAssets()) {
  const app = createApp({});
  addSecurityHeaders(app, { keys: ['server-key-of-20-char'] });
  await app.register(compress, { encodings: ['br', 'gzip'] });
  assets.addRoutes(app);
  onTestFinished(() => app.close());
  const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
  return { url, getUrl: (name: string) => `${url}${assets.getUrl(name)}` };
}

describe('an asset', () => {
  it.each(FILES)('is its file, cached permanently and served without a key: %s', async (name, type, path) => {
    const { getUrl } = await serve();
    const { status, headers, body } = await browse(getUrl(name));
    expect([status, headers['content-type'], headers.vary]).toEqual([200, type, 'accept-encoding']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
    });
    expect(body.equals(fileAt(path))).toBe(true);
    const head = await browse(getUrl(name), { method: 'HEAD' });
    expect([head.status, head.headers['content-type'], head.body.length]).toEqual([200, type, 0]);
  });

  it('is compressed for a client that accepts that', async () => {
    const { getUrl } = await serve();
    const address = getUrl('page.js');
    for (const [encoding, unpack] of [['br', brotliDecompressSync] as const, ['gzip', gunzipSync] as const]) {
      const { headers, body } = await browse(address, { headers: { 'accept-encoding': encoding } });
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding']);
      expect(unpack(body).equals(fileAt('dist/browser/page.js'))).toBe(true);
    }
  });

  it('is in one folder with all others: scripts find each other by name', () => {
    const assets = openAssets();
    const folders = FILES.map(([name]) => new URL('.', `http://here.test${assets.getUrl(name)}`).pathname);
    expect(new Set(folders).size).toBe(1);
    expect(folders[0]).toMatch(/^\/assets\/[0-9a-f]{8}\/$/);
    expect(openAssets().getUrl('page.js')).toBe(assets.getUrl('page.js'));
  });

  it('is not found under another version, another name, or a path that climbs', async () => {
    const { url, getUrl } = await serve();
    const folder = new URL('.', getUrl('page.js')).href;
    const elsewhere = [
      `${url}/assets/00000000/page.js`,
      `${url}/assets/page.js`,
      `${url}/assets/`,
      folder,
      ...['none.js', 'page.ts', '.tsbuildinfo', '%2e%2e%2fpackage.json', 'constructor', 'page.js/'].map(
        (name) => folder + name,
      ),
    ];
    for (const address of elsewhere) {
      const { status, headers, text } = await browse(address);
      expect([address, status, text]).toEqual([address, 404, '{"error":"no such path"}']);
      expect(headers).not.toHaveProperty('cache-control');
    }
    expect(() => openAssets().getUrl('none.js')).toThrow('there is no asset none.js');
  });
});
