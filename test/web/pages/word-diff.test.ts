import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffWords } from '../../../src/web/pages/word-diff.ts';

const show = (old: string, text: string) =>
  diffWords(old, text)
    ?.map(({ text: part, side }) => (side === 'both' ? part : side === 'old' ? `[-${part}-]` : `[+${part}+]`))
    .join('') ?? null;

describe('the words that differ', () => {
  it.each([
    ['Calculus: Lecture 8', 'Calculus: Lecture 9', 'Calculus: Lecture [-8-][+9+]'],
    ['피아노 특강 154', '피아노 특강 154 (수정 1)', '피아노 특강 154[+ (수정 1)+]'],
    ['hot 👩‍🏫 topic', 'hot 👩‍🚀 topic', 'hot [-👩‍🏫-][+👩‍🚀+] topic'],
    ['a  b', 'a b', 'a[-  -][+ +]b'],
    ['same', 'same', 'same'],
  ])('of %j and %j', (old, text, expected) => {
    expect(show(old, text)).toBe(expected);
  });

  it.each([
    ['texts with little in common', 'Piano for beginners', 'Chemistry, the last lecture of all'],
    ['texts that share one short word', 'Piano for the old', 'Chemistry lecture of the week and more'],
    ['hundreds of other words', 'a '.repeat(500) + 'b '.repeat(500), 'b '.repeat(500) + 'c '.repeat(500)],
    ['a text that is too long', 'x '.repeat(1_001), `${'x '.repeat(1_001)}y`],
  ])('are not looked for in %s', (_, old, text) => {
    expect(show(old, text)).toBeNull();
  });

  it('put together are both texts', () => {
    const word = fc.constantFrom('a', 'b', ' ', '  ', '가', '\u202e', '👍🏽', '\ud800', '<', '\n');
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, text, (old, next) => {
        const parts = diffWords(old, next);
        if (!parts) return;
        const side = (...sides: string[]) =>
          parts.flatMap((part) => (sides.includes(part.side) ? part.text : [])).join('');
        expect([side('both', 'old'), side('both', 'new')]).toEqual([old, next]);
      }),
    );
  });
});
