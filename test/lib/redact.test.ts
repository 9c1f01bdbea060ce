import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/lib/redact.ts';
import { listPostgresSecrets } from '../../src/publishing/targets/postgres/postgres-url.ts';
import { truncate } from '../../src/lib/format.ts';
import { inTime } from '../support/time-limit.ts';

const KEY = `k€y "1"/&<a+b>'%`;

describe('a redacted text', () => {
  it.each([
    ['plain', KEY],
    ['percent-encoded', encodeURIComponent(KEY)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(KEY).replaceAll(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
    ],
    ['a query', new URLSearchParams({ '': KEY }).toString().slice(1)],
    ['JSON', JSON.stringify(KEY).slice(1, -1)],
    ['JSON with escaped slashes', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
    [
      'HTML',
      KEY.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ],
    ['HTML by numbers', Array.from(KEY, (each) => `&#${each.codePointAt(0) ?? 0};`).join('')],
  ])('has no secret that is %s', (_notation, written) => {
    expect(redact(`GET /a?key=${written}&pkg=1 ${written}.`, [KEY])).toBe('GET /a?key=[key]&pkg=1 [key].');
  });

  it.each(['', 'k', 'ke', 'key', 'user:', '{"key":"'])(
    'has no secret in base64 or hexadecimal, after %j',
    (before) => {
      const long = 'Zk3+/?>secret-of-30-characters';
      for (const secret of [long, long.slice(1), long.slice(2)]) {
        for (const after of ['', '"', '"}', '"}]']) {
          const bytes = Buffer.from(before + secret + after);
          for (const encoding of ['base64', 'base64url', 'hex'] as const) {
            const text = redact(`the key ${bytes.toString(encoding)} is unknown`, [secret]);
            expect(text).toContain('[key]');
            expect(text.length).toBeLessThan(
              'the key [key] is unknown'.length + 2 * (before + after).length + 4,
            );
          }
        }
      }
    },
  );

  it.each(['ab%2Fcd', 'ab%2fcd'])(
    'has no secret that has percent signs itself, in either case: %s',
    (key) => {
      expect(redact('ab%2Fcd ab%2fcd ab%252fcd', [key])).toBe('[key] [key] [key]');
    },
  );

  it.each(['wrong', 'vodhouse', '5432'])(
    'keeps words that are a password, but not in an address: %s',
    (word) => {
      const secrets = listPostgresSecrets(`postgres://vodhouse:${word}@db:5432/vodhouse`);
      const message = 'db:5432: the password of vodhouse is wrong';
      expect(redact(message, secrets)).toBe(message);
      const addresses = [
        `postgres://vodhouse:${word}@db:5432/vodhouse`,
        `postgresql://vodhouse:${word}@other/x`,
      ];
      expect(redact(addresses.join(' '), secrets)).not.toContain(`:${word}@`);
    },
  );

  it.each(['wrong-1', 'Wr0ngword', 'a-b', 'correcthorsebattery'])('has no other password: %s', (password) => {
    const secrets = listPostgresSecrets(`postgres://vodhouse:${password}@db:5432/vodhouse`);
    expect(redact(`it is ${password}`, secrets)).toBe('it is [key]');
  });

  it('has none in any mixture of encodings, whatever the secret is', () => {
    const notations: ((character: string) => string)[] = [
      (character) => character,
      (character) => encodeURIComponent(character),
      (character) => JSON.stringify(character).slice(1, -1),
      (character) => `&#x${(character.codePointAt(0) ?? 0).toString(16)};`,
      (character) =>
        [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ];
    const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const choices = fc.array(fc.nat(notations.length - 1), { minLength: 40, maxLength: 40 });
    const property = fc.property(secret, choices, (key, chosen) => {
      const written = Array.from(key, (character, index) =>
        notations[chosen[index % 40] ?? 0]?.(character),
      ).join('');
      expect(redact(written, [key])).toBe('[key]');
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('is unchanged where it has none', () => {
    const texts = fc
      .array(fc.constantFrom('a', 'b', ' ', '%', '&', ';', '\\', '"', '1'))
      .map((each) => each.join(''));
    const property = fc.property(texts, (text) => {
      expect(redact(text, ['XYZ', ''])).toBe(text);
    });
    fc.assert(property);
    expect(redact('a.c abc', ['a.c'])).toBe('[key] abc');
  });

  it('has the longest secret replaced first', () => {
    expect(redact('abcdef abc', ['abc', 'abcdef'])).toBe('[key] [key]');
  });
});

describe('a malicious text of the service', () => {
  const key = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab0';
  it.each(['&#', '&#0', '&#0000000097', '&#x0', '%', '%6', '\\\\u00', '\\', 'a', 'a&#97;', ';'])(
    'is redacted in linear time where it repeats %j',
    (part) => {
      const text = `${part.repeat(30_000)}&#${'0'.repeat(30_000)}`;
      expect(inTime(() => redact(text, [key, `${key}/"&`]))).toBe(text);
    },
  );

  it('is truncated in linear time', () => {
    expect(inTime(() => truncate('a'.repeat(200_000), 199_999))).toHaveLength(199_999);
  });
});
