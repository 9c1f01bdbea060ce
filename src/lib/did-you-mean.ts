import { distance } from 'fastest-levenshtein';

/** The known name nearest to a mistyped one; undefined where none is close. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const typed = normalize(name);
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(typed, normalize(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(normalize(candidate).length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '');
}
