/** Pieces of generated pages. */

export const paragraphs = (parts: readonly string[]) => `${parts.map((part) => part.trim()).join('\n\n')}\n`;
export const code = (name: string) => `\`${name}\``;
export const codes = (names: readonly string[]) => names.map(code).join(', ');
export const linkTo = (name: string) => `[${code(name)}](#${name})`;

/** A row of a table; a bar inside a cell would end it. */
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

export const grid = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
