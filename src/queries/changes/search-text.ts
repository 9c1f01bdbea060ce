/**
 * How texts are compared: without regard to case, and Korean the same whether its syllables are stored whole
 * or in parts. Pure.
 */

export const foldText = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * For LIKE: both spellings of a text; `decomposed` is null where it has only one. What they match must be
 * compared again.
 */
export function toLikePatterns(text: string): { pattern: string; decomposed: string | null } {
  const [pattern, decomposed] = (['NFC', 'NFD'] as const).map((form) =>
    toLikePattern(text.normalize(form).toLowerCase()),
  );
  return { pattern: pattern ?? '', decomposed: decomposed === pattern ? null : (decomposed ?? null) };
}

/** LIKE ignores the case of ASCII letters only, so any other letter with two cases becomes `%`. */
function toLikePattern(folded: string): string {
  const characters = Array.from(folded, (each) => {
    if (/[%_\\]/.test(each)) return `\\${each}`;
    return each > '\u007f' && each.toUpperCase() !== each ? '%' : each;
  });
  return `%${characters.join('')}%`.replaceAll(/(?<!\\)%%+/g, '%');
}
