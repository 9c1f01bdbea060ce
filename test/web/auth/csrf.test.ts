import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeRedirectPath } from '../../../src/web/auth/csrf.ts';

describe('a redirect path', () => {
  const unit = fc.constantFrom(
    ...['/', '/', '\\', '\\', '.', ':', '@', '?', '#', '&', '=', '%', 'a', ' ', '\t', '\r', '\n', '\0'],
    'key=',
    'http:',
    '%2f',
    '%5c',
    '가',
    '\u2028',
    '／',
  );
  const path = fc.oneof(
    fc.string({ unit }),
    fc.string({ unit }).map((text) => `/${text}`),
    fc.string(),
  );

  it('is one of this server for a browser, on one line, for any input', () => {
    fc.assert(
      fc.property(path, (text) => {
        const path = safeRedirectPath(text);
        const { origin, searchParams } = new URL(path, 'http://here.test');
        expect([origin, searchParams.has('key')]).toEqual(['http://here.test', false]);
        expect(path).toMatch(/^\/[!-~]*$/);
        expect(path).not.toMatch(/\/\/|\\/);
        expect(path.length).toBeLessThanOrEqual(200);
        expect(safeRedirectPath(path)).toBe(path);
      }),
    );
  });

  it.each([
    '/',
    '/packages/main/101',
    '/videos?search=a%20b&page=2',
    '/packages/a:b@c',
    '/x?a=1?b=2',
    '/#part',
  ])('is the requested one: %s', (path) => {
    expect(safeRedirectPath(path)).toBe(path);
  });

  it('has its key removed', () => {
    expect(safeRedirectPath('/videos?page=2&key=secret&search=a')).toBe('/videos?page=2&search=a');
    expect(safeRedirectPath('/videos?%6Bey=secret')).toBe('/videos');
  });
});
