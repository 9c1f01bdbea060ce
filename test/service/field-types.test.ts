import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { firstIssueText, real, required, survivesJson, text, whole } from '../../src/service/field-types.ts';

const note = { description: 'a field' };
const record = z.looseObject({ text: text(note), whole: whole(note), real: real(note) });

function read(json: string) {
  const result = record.safeParse(JSON.parse(json));
  return result.success ? result.data : firstIssueText(result.error);
}

describe('text', () => {
  it("keeps null and '' apart, and takes an absent field for null", () => {
    expect(read('{"text":null}')).toMatchObject({ text: null });
    expect(read('{"text":""}')).toMatchObject({ text: '' });
    expect(read('{}')).toMatchObject({ text: null, whole: null, real: null });
  });

  it('keeps another JSON type as its JSON text', () => {
    expect(read('{"text":12.5}')).toMatchObject({ text: '12.5' });
    expect(read('{"text":true}')).toMatchObject({ text: 'true' });
    expect(read('{"text":["a",{"b":null}]}')).toMatchObject({ text: '["a",{"b":null}]' });
  });

  it('refuses half of a surrogate pair and keeps whole ones', () => {
    expect(read('{"text":"a\\ud83d"}')).toBe('text: holds half of a surrogate pair');
    expect(read('{"text":"\\ud83d\\udd25"}')).toMatchObject({ text: '🔥' });
  });

  it('refuses a number that JSON.parse has rounded', () => {
    expect(read('{"text":9007199254740993}')).toMatch(/^text: .* is not exact$/);
    expect(read('{"text":{"inner":[9007199254740993]}}')).toMatch(/^text: .* cannot be stored without loss$/);
    expect(read('{"text":[1e400]}')).toMatch(/^text: /);
  });
});

describe('whole', () => {
  it('reads doubles in scientific notation and decimal strings exactly', () => {
    expect(read('{"whole":4.4482871E7}')).toMatchObject({ whole: 44_482_871 });
    expect(read('{"whole":"4.4482871E7"}')).toMatchObject({ whole: 44_482_871 });
    expect(read('{"whole":"16"}')).toMatchObject({ whole: 16 });
    expect(read('{"whole":9007199254740991}')).toMatchObject({ whole: Number.MAX_SAFE_INTEGER });
  });

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
  ])('refuses %s rather than store something else', (json) =>
    expect(read(`{"whole":${json}}`)).toMatch(/^whole: .* is not a whole number/),
  );

  it('reads every exact integer back, however it is written', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        for (const written of [String(number), number.toExponential(), `"${number}"`]) {
          expect(read(`{"whole":${written}}`)).toMatchObject({ whole: number });
        }
      }),
    );
  });
});

describe('real', () => {
  it('reads fractions and decimal strings', () => {
    expect(read('{"real":29.97}')).toMatchObject({ real: 29.97 });
    expect(read('{"real":"23.976"}')).toMatchObject({ real: 23.976 });
  });

  it.each(['1e400', '"1e400"', '9007199254740993', '"fast"', 'false'])('refuses %s', (json) =>
    expect(read(`{"real":${json}}`)).toMatch(/^real: .* is not a number/),
  );
});

describe('required', () => {
  it('takes whole numbers from the least one up, and nothing else', () => {
    const page = required(1, note);
    expect(page.parse(1)).toBe(1);
    expect(page.parse('16')).toBe(16);
    for (const value of [0, -1, null, undefined, 1.5, 2 ** 53]) {
      expect(page.safeParse(value).success).toBe(false);
    }
  });
});

describe('survivesJson', () => {
  it('is false where keeping the value as JSON would change it, at any depth', () => {
    for (const json of ['1e400', '9007199254740993', '"\\udc00"', '[1e400]', '{"a":{"b":["\\ud800"]}}']) {
      expect(survivesJson(JSON.parse(json))).toBe(false);
    }
    expect(survivesJson(JSON.parse('{"a":[1.5,null,"🔥",{"b":true}]}'))).toBe(true);
  });
});
