/** What words of a text another one keeps. Pure, and bounded in time for any texts. */
import { diffArrays } from 'diff';

export interface DiffPart {
  text: string;
  /** In which of the texts it is. */
  side: 'both' | 'old' | 'new';
}

/** More words than these removed and added together: the texts are too different. The time grows with its square. */
const MOST_EDITS = 40;

/** Characters of a text; longer ones are not compared. A pair of any texts then takes two milliseconds at most. */
const LONGEST = 2_000;

/** Words, spaces, or single other characters; an emoji with its modifiers is one. */
const TOKEN =
  /\s+|[\p{L}\p{M}\p{N}_]+|\p{Extended_Pictographic}(?:[\p{M}\p{Emoji_Modifier}\u200d]|(?<=\u200d)\p{Extended_Pictographic})*|./gsu;

/** Null where the texts have too little in common to be shown as one. The parts of a side put together are its text. */
export function diffWords(old: string, text: string): DiffPart[] | null {
  if (old.length > LONGEST || text.length > LONGEST) return null;
  const changes = diffArrays(old.match(TOKEN) ?? [], text.match(TOKEN) ?? [], { maxEditLength: MOST_EDITS });
  const parts = changes?.map(({ value, added, removed }): DiffPart => {
    return { text: value.join(''), side: added ? 'new' : removed ? 'old' : 'both' };
  });
  return parts && hasMuchInCommon(parts) ? parts : null;
}

/** A third of both texts. */
function hasMuchInCommon(parts: readonly DiffPart[]): boolean {
  const count = (side: DiffPart['side']) =>
    parts.reduce((sum, part) => sum + (part.side === side ? part.text.trim().length : 0), 0);
  return 2 * 2 * count('both') >= count('old') + count('new');
}
