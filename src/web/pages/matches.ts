/** Where a text contains another one. Pure. */

export interface TextPart {
  text: string;
  isMatch: boolean;
}

/** Splits `text` at each place where it contains `part`, in any case. The parts put together are `text`. */
export function splitMatches(text: string, part: string): TextPart[] {
  const [folded, wanted] = [text.toLowerCase(), part.toLowerCase()];
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
