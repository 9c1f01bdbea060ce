import { type Path, pathText } from './source-map.ts';

/** One thing that is wrong with a config file, in words that may be printed. */
export interface Problem {
  /** Counted from 1; null where it concerns the file as a whole. */
  readonly line: number | null;
  readonly path: Path;
  readonly says: string;
}

/**
 * All problems as one message: a heading, then a line each, in the order of the file.
 * A problem that an alias would repeat at the same place is told once.
 */
export function formatProblems(file: string, problems: readonly Problem[]): string {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const width = Math.max(...sorted.map(({ line }) => String(line ?? '').length));
  const rows = new Set(sorted.map((problem) => `  ${lineText(problem.line, width)}${problemText(problem)}`));
  const count = rows.size === 1 ? '1 problem' : `${rows.size} problems`;
  return [`${file} has ${count}:`, ...rows].join('\n');
}

function lineText(line: number | null, width: number): string {
  if (width === 0) return '';
  return line === null ? ' '.repeat(width + 7) : `line ${String(line).padStart(width)}  `;
}

function problemText({ path, says }: Problem): string {
  return path.length === 0 ? says : `${pathText(path)}: ${says}`;
}
