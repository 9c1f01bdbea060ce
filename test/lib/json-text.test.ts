import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listElements, listMembers, measureJson, rewriteJson } from '../../src/lib/json-text.ts';

/** JSON text with any indentation. */
const anyText = fc
  .tuple(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom('', ' ', '\t', '\r\n'))
  .map(([value, indentation]) => ({ value, text: JSON.stringify(value, null, indentation) }));

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>(
    (sum, each) => sum + countMembers(each),
    Array.isArray(value) ? 0 : inner.length,
  );
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countValues(each), 1);
}

function getDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(getDepth));
}

describe('measureJson', () => {
  it('counts members, values and levels as the parsed value has them', () => {
    fc.assert(
      fc.property(anyText, ({ value, text }) => {
        const { members, values, depth } = measureJson(text);
        const parsed: unknown = JSON.parse(text);
        expect({ members, depth }).toEqual({ members: countMembers(parsed), depth: getDepth(parsed) });
        expect(values).toBeGreaterThanOrEqual(countValues(value));
        expect(values).toBeLessThanOrEqual(2 * countValues(value));
      }),
    );
  });

  it('counts a member that comes twice twice', () => {
    expect(measureJson('{"id":2,"id":9}').members).toBe(2);
  });

  it('ends for every text, also for one that is not JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'x')), (parts) => {
        expect(measureJson(parts.join('')).members).toBeLessThanOrEqual(parts.length);
      }),
    );
    expect(measureJson('\\'.repeat(1_000_000) + '"'.repeat(1_000_000)).depth).toBe(0);
  });
});

describe('rewriteJson', () => {
  it('writes what JSON.stringify does with sorted names, where no number loses a digit', () => {
    const sortNames = (_name: string, value: unknown): unknown =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
    fc.assert(
      fc.property(anyText, ({ text }) => {
        const parsed: unknown = JSON.parse(text);
        expect(rewriteJson(text)).toBe(JSON.stringify(parsed, sortNames));
      }),
    );
  });

  it('keeps digits and names that come twice, and writes one spelling of a string', () => {
    const text = ' { "b" : [ 1e400 , -0.0, 1610521604143693812 ] , "a" : "\\u00e9\\/" , "b" : null } ';
    expect(rewriteJson(text)).toBe('{"a":"é/","b":[1e400,-0.0,1610521604143693812],"b":null}');
  });

  it('replaces strings and names', () => {
    const mapText = (each: string) => each.toUpperCase();
    expect(rewriteJson('{"a":["b",{"c":"d"}]}', mapText)).toBe('{"A":["B",{"C":"D"}]}');
  });
});

describe('listMembers and listElements', () => {
  it('have each value as its text', () => {
    fc.assert(
      fc.property(anyText, ({ text }) => {
        const parsed: unknown = JSON.parse(text);
        if (typeof parsed !== 'object' || parsed === null) return;
        if (Array.isArray(parsed)) {
          expect(listElements(text).map((each) => JSON.parse(each) as unknown)).toEqual(parsed);
        } else {
          const members = listMembers(text).map(([name, value]) => [name, JSON.parse(value) as unknown]);
          expect(members).toEqual(Object.entries(JSON.parse(text, (_, each: unknown) => each) as object));
        }
      }),
    );
    expect(listMembers('{ "a" : 1.50 , "a" : [ 2 ] }')).toEqual([
      ['a', '1.50'],
      ['a', '[ 2 ]'],
    ]);
    expect(listElements('[ ]')).toEqual([]);
  });
});
