import fc from 'fast-check';
import { expect, it } from 'vitest';
import { liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { HOSTILE } from '../support/fixtures/hostile-texts.ts';
import { published } from '../support/fixtures/published-file.ts';
import { LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

const SEPARATORS = ['|', ',', ';', '/', "'", '#', ' ', '、', '，', '·', '%', '_', '[', ']', '+', '😀'];

/** What a person would do by hand. */
function split(text: string, separators: readonly string[]): string[] {
  const isSeparator = (character: string) => separators.includes(character);
  const parts = Array.from(text)
    .map((character) => (isSeparator(character) ? '\0' : character))
    .join('')
    .split('\0');
  const trimmed = parts.map((part) => part.replaceAll(/^[ \t\n\r\u3000]+|[ \t\n\r\u3000]+$/g, ''));
  return trimmed.filter(Boolean).map((part) => Array.from(part).slice(0, 255).join(''));
}

/** The tags of each text, in its order, as the published file has them. */
async function readTags(texts: readonly string[], tagSeparators: readonly string[]): Promise<string[][]> {
  const live = liveFileWith(packageRow(101), ...texts.map((tag, id) => videoRow(id + 1, { tag })));
  const { select } = await published(live, { tagSeparators });
  return texts.map((_, id) =>
    select('select tag from video_tags where video_key = ? order by tag', `main/101/${id + 1}`).map((row) =>
      String(row['tag']),
    ),
  );
}

it.each<[string[], string[]]>([
  [['|'], ['a, b; c', 'd']],
  [
    ['|', ','],
    ['a', 'b; c', 'd'],
  ],
  [[' '], ['a,', 'b;', 'c', 'd', '|']],
  [[], ['a, b; c | d']],
])('tags are split at %j', async (separators, tags) => {
  expect(await readTags(['a, b; c | d'], separators)).toEqual([tags]);
});

it('any text is split at any separators, and nowhere else', async () => {
  const piece = fc.oneof(
    fc.constantFrom(...SEPARATORS, '"', '\\', '\\n', '\\u007c', '\t', ...HOSTILE),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  const property = fc.asyncProperty(
    fc.array(
      text.map((each) => each.replaceAll('\0', '')),
      { minLength: 20, maxLength: 20 },
    ),
    fc.subarray(SEPARATORS),
    async (texts, separators) => {
      const found = await readTags(texts, separators);
      expect(found.map((tags) => new Set(tags))).toEqual(
        texts.map((each) => new Set(split(each, separators))),
      );
    },
  );
  await fc.assert(property, { numRuns: 6 });
});

it('the config has a list of single characters', () => {
  const read = (list: string) =>
    load(`${LEAST}publish: { tag_separators: ${list} }\n`).publish?.tagSeparators;
  expect(read('["|"]')).toEqual(['|']);
  expect(read('[]')).toEqual([]);
  for (const separator of SEPARATORS) expect(read(JSON.stringify([separator]))).toEqual([separator]);
});

it.each(['||', 'x', '7', '"', '\\', '\n', '\0', 'é', '한'])(
  'the config refuses the separator %j with what is expected',
  (separator) => {
    const yaml = `${LEAST}publish: { tag_separators: [",", ${JSON.stringify(separator)}] }\n`;
    expect(readProblems(yaml).join()).toContain(
      `publish.tag_separators[1]: ${JSON.stringify(separator)} is not valid; expected one punctuation mark, symbol or blank, in quotes`,
    );
  },
);
