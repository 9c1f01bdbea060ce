/** The share of the letters of a name that may be mistyped. */
const MAX_SHARE = 1 / 3;

/** The known name nearest to a mistyped one; undefined where none is close. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const typed = normalize(name);
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(typed, normalize(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, normalize(candidate).length * MAX_SHARE))
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1];
    for (let at = 0; at < other.length; at++) {
      const replaced = (row[at] ?? 0) + (other[at] === one[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '');
}
