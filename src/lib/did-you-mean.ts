/** The known name that a mistyped one was probably meant to be; undefined where none is close. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const typed = bare(name);
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(typed, bare(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(bare(candidate).length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '');
}

/** How many letters must be put in, left out or exchanged to make `from` into `to` (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(to).entries()) {
      const exchanged = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
