/** A table that scrolls in its own box where the screen is narrow. */
import type { ComponentChildren } from 'preact';

export interface TableParts {
  /** What names it: the id of a heading, or words. */
  label: { by: string } | { words: string };
  class?: string;
  /** The words of the columns; those that begin with `>` stand to the right. Or the row of them. */
  head: readonly string[] | ComponentChildren;
  children: ComponentChildren;
}

export function Table({ label, class: className, head, children }: TableParts) {
  const named = 'by' in label ? { 'aria-labelledby': label.by } : { 'aria-label': label.words };
  return (
    <div class="scroll" role="group" tabIndex={0} {...named}>
      <table class={className}>
        <thead>
          <tr>{isWords(head) ? head.map((words) => <Heading key={words} words={words} />) : head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function isWords(head: TableParts['head']): head is readonly string[] {
  return Array.isArray(head) && head.every((each) => typeof each === 'string');
}

function Heading({ words }: { words: string }) {
  return (
    <th scope="col" class={words.startsWith('>') ? 'number' : undefined}>
      {words.replace(/^>/, '')}
    </th>
  );
}
