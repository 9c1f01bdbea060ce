/** A table that scrolls in its own box on narrow screens. */
import type { ComponentChildren } from 'preact';

interface TableProps {
  /** Its accessible name: the id of a heading, or a text. */
  label: { by: string } | { text: string };
  class?: string;
  /** The column headings, right-aligned after `>`; or their elements. */
  head: readonly string[] | ComponentChildren;
  children: ComponentChildren;
}

export function Table({ label, class: className, head, children }: TableProps) {
  const accessibleName = 'by' in label ? { 'aria-labelledby': label.by } : { 'aria-label': label.text };
  return (
    <div class="scroll" role="group" tabIndex={0} {...accessibleName}>
      <table class={className}>
        <thead>
          <tr>{isTexts(head) ? head.map((text) => <Heading key={text} text={text} />) : head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function isTexts(head: TableProps['head']): head is readonly string[] {
  return Array.isArray(head) && head.every((each) => typeof each === 'string');
}

function Heading({ text }: { text: string }) {
  return (
    <th scope="col" class={text.startsWith('>') ? 'number' : undefined}>
      {text.replace(/^>/, '')}
    </th>
  );
}
