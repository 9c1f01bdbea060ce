/** A table that scrolls in its own box on narrow screens; on a phone each row is a card. */
import type { ComponentChildren, VNode } from 'preact';
import { labelCells } from './cell-labels.ts';

export interface TableProps {
  /** Its accessible name: the id of a heading, or a text. */
  label: { by: string } | { text: string };
  class?: string;
  /** The column headings: texts, right-aligned after `>`, or elements. */
  head: readonly (string | VNode)[];
  children: ComponentChildren;
}

export function Table({ label, class: className, head, children }: TableProps) {
  const accessibleName = 'by' in label ? { 'aria-labelledby': label.by } : { 'aria-label': label.text };
  return (
    <div class="scroll" role="group" tabIndex={0} {...accessibleName}>
      <table class={className}>
        <thead>
          <tr>
            {head.map((each) => (typeof each === 'string' ? <Heading key={each} text={each} /> : each))}
          </tr>
        </thead>
        <tbody>{labelCells(children, head)}</tbody>
      </table>
    </div>
  );
}

function Heading({ text }: { text: string }) {
  return (
    <th scope="col" class={text.startsWith('>') ? 'number' : undefined}>
      {text.replace(/^>/, '')}
    </th>
  );
}
