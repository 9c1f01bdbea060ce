/** A table that scrolls in its own box on narrow screens; on a phone each row is a card. */
import type { ComponentChildren, VNode } from 'preact';
import { findMeaning } from './glossary.tsx';

/**
 * The heading, what a cell shows, and the classes of both: `number` is right-aligned. The first one names
 * the row.
 */
export type Column<Row> = readonly [
  head: string,
  show: (row: Row) => ComponentChildren,
  className?: string | undefined,
];

interface TableProps<Row> {
  /** Its accessible name: the id of a heading, or a text. */
  label: { by: string } | { text: string };
  class?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Headings in place of the texts, in the same order. */
  headings?: readonly VNode[];
  /** A line below the row; false: none. */
  below?: (row: Row) => ComponentChildren;
  /** On a phone it stays a table: it is narrow. */
  isNarrow?: true;
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, class: className, columns, rows, headings, below, isNarrow } = props;
  const accessibleName = 'by' in label ? { 'aria-labelledby': label.by } : { 'aria-label': label.text };
  return (
    <div class={isNarrow ? 'scroll' : 'scroll cards'} role="group" tabIndex={0} {...accessibleName}>
      <table class={className}>
        <thead>
          <tr>
            {headings ?? columns.map(([head, , own]) => <Heading key={head} head={head} class={own} />)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Rows key={at} row={row} columns={columns} below={below?.(row) ?? false} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Heading = ({ head, class: own }: { head: string; class: string | undefined }) => (
  <th scope="col" class={own} title={findMeaning(head)}>
    {head}
  </th>
);

type RowsProps<Row> = { row: Row; columns: readonly Column<Row>[]; below: ComponentChildren };

function Rows<Row>({ row, columns, below }: RowsProps<Row>) {
  return (
    <>
      <tr>
        {columns.map(([head, show, own], at) => {
          if (at > 0)
            return (
              <td key={head} class={own} data-label={head}>
                {show(row)}
              </td>
            );
          return (
            <th key={head} scope="row">
              {show(row)}
            </th>
          );
        })}
      </tr>
      {below !== false && (
        <tr class="why">
          <td />
          <td colSpan={columns.length - 1}>{below}</td>
        </tr>
      )}
    </>
  );
}
