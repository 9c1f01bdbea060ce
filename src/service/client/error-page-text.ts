/**
 * The text of an HTML page, or any other text, on one line. A tag ends at its `>`; a `<` without a `>` before the next `<`
 * stays. Linear time: a pattern that crosses other `<` takes minutes for a page full of them.
 */
export function errorPageText(page: string): string {
  return page
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
