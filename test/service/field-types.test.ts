import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { firstIssueText, integer, number, requiredInteger, text } from '../../src/service/field-types.ts';

const doc = { description: 'a field' };
const record = z.looseObject({ text: text(doc), integer: integer(doc), number: number(doc) });

function read(json: string) {
  const result = record.safeParse(JSON.parse(json));
  return result.success ? result.data : firstIssueText(result.error);
}

describe('text', () => {
  it("distinguishes null and '', and reads an absent field as null", () => {
    expect(read('{"text":null}')).toMatchObject({ text: null });
    expect(read('{"text":""}')).toMatchObject({ text: '' });
    expect(read('{}')).toMatchObject({ text: null, integer: null, number: null });
  });

  it('stores another JSON type as its JSON text', () => {
    expect(read('{"text":12.5}')).toMatchObject({ text: '12.5' });
    expect(read('{"text":true}')).toMatchObject({ text: 'true' });
    expect(read('{"text":["a",{"b":null}]}')).toMatchObject({ text: '["a",{"b":null}]' });
  });

  it('rejects half of a surrogate pair and accepts complete ones', () => {
    expect(read('{"text":"a\\ud83d"}')).toBe('text: holds half of a surrogate pair');
    expect(read('{"text":"\\ud83d\\udd25"}')).toMatchObject({ text: '🔥' });
  });
});

describe('integer', () => {
  it.each([
    '9007199254740993',
    '"9007199254740993"',
    '1e400',
    '"1e400"',
    '1.5',
    '""',
    '" 16"',
    '"0x10"',
    'true',
    '[]',
  ])('rejects %s instead of a changed value', (json) =>
    expect(read(`{"integer":${json}}`)).toMatch(/^integer: .* is not a whole number/),
  );

  it('reads every exact integer, in any notation', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (exact) => {
        for (const written of [String(exact), exact.toExponential(), `"${exact}"`]) {
          expect(read(`{"integer":${written}}`)).toMatchObject({ integer: exact });
        }
      }),
    );
  });
});

describe('number', () => {
  it('reads fractions and decimal strings', () => {
    expect(read('{"number":29.97}')).toMatchObject({ number: 29.97 });
    expect(read('{"number":"23.976"}')).toMatchObject({ number: 23.976 });
  });

  it.each(['1e400', '"1e400"', '9007199254740993', '"fast"', 'false'])('rejects %s', (json) =>
    expect(read(`{"number":${json}}`)).toMatch(/^number: .* is not a number/),
  );
});

describe('requiredInteger', () => {
  it('accepts exactly the integers from the minimum up', () => {
    const page = requiredInteger(1, doc);
    expect(page.parse(1)).toBe(1);
    expect(page.parse('16')).toBe(16);
    for (const value of [0, -1, null, undefined, 1.5, 2 ** 53]) {
      expect(page.safeParse(value).success).toBe(false);
    }
  });
});
