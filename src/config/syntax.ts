import type { Document, YAMLError } from 'yaml';
import type { Problem } from './format-problems.ts';

/** In our own words where the library's would repeat a piece of the file, which may be a key. */
const WORDS: Partial<Record<YAMLError['code'], string>> = {
  BAD_DIRECTIVE: 'a line that begins with % needs quotes',
  BAD_SCALAR_START: 'a value that begins with @, ` or % needs quotes',
  MULTIPLE_DOCS: 'a second document begins here (---); expected one',
  TAG_RESOLVE_FAILED: 'a value that begins with ! needs quotes',
};

/** What makes the text no YAML, once a line: the first error of a line is its cause, the others follow from it. */
export function syntaxProblems(
  document: Pick<Document.Parsed, 'errors' | 'warnings'>,
  text: string,
  lineAt: (offset: number) => number,
): Problem[] {
  const lines = text.split('\n');
  const byLine = new Map<number, Problem>();
  for (const error of [...document.errors, ...document.warnings]) {
    const line = lineAt(error.pos[0]);
    if (byLine.has(line)) continue;
    const says = WORDS[error.code] ?? `not valid YAML: ${firstWords(error.message)}`;
    byLine.set(line, { line, path: [], says: `${says}${braceHint(lines[line - 1] ?? '')}` });
  }
  return [...byLine.values()];
}

function firstWords(message: string): string {
  return (message.split(': ')[0] ?? '').replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

function braceHint(line: string): string {
  const bracket = line.search(/[{[]/);
  const isInside = bracket >= 0 && line.indexOf('${', bracket + 1) > 0;
  return isInside ? '; inside of { } and [ ] a ${NAME} needs quotes' : '';
}
