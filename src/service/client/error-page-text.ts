/**
 * The text of a page of HTML, or of any other text, in one line. A tag ends at its `>`; what begins with `<` and has none
 * before the next `<` stays. In linear time: a pattern that passes other `<` takes minutes for a page of them.
 */
export function errorPageText(page: string): string {
  return page
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
