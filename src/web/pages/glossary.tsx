/** The words of docs/glossary.md that the pages use: their meaning as a tooltip, and as text in the footer. */

const MEANINGS = {
  walk: 'one pass over all pages of one package, within a run',
  booked: 'a past day with its figures, stored permanently',
  'held back':
    'a removal that waits for confirmation: too many at once, or the order of the list is untrusted',
  parked: 'stopped because the budget or a pause allows no request now; it resumes by itself',
  restored: 'listed again after it was removed',
} as const;

/** Of the first such word in a text; undefined: it has none. */
export function findMeaning(text: string): string | undefined {
  const found = Object.entries(MEANINGS).find(([word]) => text.toLowerCase().includes(word));
  return found && `${found[0]}: ${found[1]}`;
}

/** A text with the meaning of its word as a tooltip. */
export function Explained({ text }: { text: string }) {
  return (
    <span class="term" title={findMeaning(text)}>
      {text}
    </span>
  );
}

/** All words, folded. */
export function Glossary() {
  return (
    <details id="words">
      <summary>Words on these pages</summary>
      <dl>
        {Object.entries(MEANINGS).map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
