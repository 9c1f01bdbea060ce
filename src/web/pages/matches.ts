/** Where a text contains another one. Pure. */

export interface TextPart {
  text: string;
  isMatch: boolean;
}

/**
 * Splits `text` at each place where it contains `part`, in any case and spelling. The parts put together are `text`, or its composed
 * form where only that contains `part`.
 */
export function splitMatches(given: string, part: string): TextPart[] {
  const wanted = part.normalize('NFC').toLowerCase();
  const text = given.toLowerCase().includes(wanted) ? given : given.normalize('NFC');
  const folded = text.toLowerCase();
  // A few letters change their number of characters with their case: then places in one are no places in the other.
  if (folded.length !== text.length || wanted === '') return [{ text, isMatch: false }];
  const parts: TextPart[] = [];
  let from = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isMatch: false });
    from = at + wanted.length;
    parts.push({ text: text.slice(at, from), isMatch: true });
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMatch: false });
  return parts;
}
