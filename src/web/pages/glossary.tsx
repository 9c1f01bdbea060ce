/**
 * The words of docs/contributing/glossary.md that the pages use: their meaning as a tooltip, and as text for
 * a screen reader.
 */

const MEANINGS = {
  walk: 'one pass over all pages of one package, within a run',
  booked: 'a past day with its figures, stored permanently',
  'held back':
    'a removal that waits for confirmation: too many at once, or the order of the list is untrusted',
  parked: 'stopped because the budget or a pause allows no request now; it resumes by itself',
  restored: 'listed again after it was removed',
  imported: 'first seen before the first full walk of its package ended',
  retired: 'its package left the config',
  returned: 'listed again after its package came back into the config',
} as const;

/** Of the first such word in a text; undefined: it has none. */
export function findMeaning(text: string): string | undefined {
  const found = Object.entries(MEANINGS).find(([word]) => text.toLowerCase().includes(word));
  return found && `${found[0]}: ${found[1]}`;
}

/** All words, for those who see no tooltip. */
export function Glossary() {
  return (
    <dl id="words" class="unseen">
      {Object.entries(MEANINGS).map(([word, meaning]) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
