/** A table that scrolls in its own box on narrow screens; on a phone each row is a card. */
import {
  cloneElement,
  Fragment,
  isValidElement,
  toChildArray,
  type ComponentChildren,
  type VNode,
} from 'preact';

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
  const shown = text.replace(/^>/, '');
  return (
    <th scope="col" class={text.startsWith('>') ? 'number' : undefined}>
      {shown}
    </th>
  );
}

type Element = VNode<{ children?: ComponentChildren; colSpan?: number }>;

/** The rows, with the heading of its column as `data-label` of each `td`. Components in them must not use hooks. */
function labelCells(rows: ComponentChildren, head: readonly (string | VNode)[]): VNode[] {
  const labels = head.map((each) => toText(each).replace(/^>/, ''));
  return expand(rows).map((row) => cloneElement(row, {}, labelRow(expand(row.props.children), labels)));
}

function labelRow(cells: readonly Element[], labels: readonly string[]): VNode[] {
  let column = 0;
  return cells.map((cell) => {
    const label = labels[column] ?? '';
    const { colSpan = 1 } = cell.props;
    column += colSpan;
    const hasLabel = cell.type === 'td' && colSpan === 1 && label !== '';
    return hasLabel ? cloneElement(cell, { 'data-label': label }) : cell;
  });
}

/** The elements that the components and fragments stand for. */
function expand(children: ComponentChildren): Element[] {
  return toChildArray(children).flatMap((child) => {
    if (!isValidElement(child)) return [];
    const { type, props } = child as Element;
    if (type === Fragment) return expand(props.children);
    if (typeof type === 'function') return expand(render(type, props));
    return [child];
  });
}

/** Without what is hidden from screen readers, such as arrows. */
function toText(node: ComponentChildren): string {
  return toChildArray(node)
    .map((child) => {
      if (!isValidElement(child)) return String(child);
      const { type, props } = child as VNode<{ children?: ComponentChildren; 'aria-hidden'?: unknown }>;
      if (props['aria-hidden'] !== undefined) return '';
      return toText(typeof type === 'function' ? render(type, props) : props.children);
    })
    .join('')
    .trim();
}

function render(type: unknown, props: object): ComponentChildren {
  return (type as (given: object) => ComponentChildren)(props);
}
