/** Pieces of generated pages. */

export const paragraphs = (parts: readonly string[]) => `${parts.map((part) => part.trim()).join('\n\n')}\n`;
export const code = (name: string) => `\`${name}\``;
export const codes = (names: readonly string[]) => names.map(code).join(', ');
export const linkTo = (name: string) => `[${code(name)}](#${name})`;
