/** Problems of a config file: from zod's issues to the message that lists them all. */
import type * as z from 'zod';
import { findNearest } from '../lib/did-you-mean.ts';
import { pathText, type Path, type Place, type SourceMap } from './source-map.ts';

type Issue = z.core.$ZodIssue;

/** One thing that is wrong with a config file. Its message may be printed. */
export interface Problem {
  /** Counted from 1; null if it concerns the complete file. */
  readonly line: number | null;
  readonly path: Path;
  readonly message: string;
}

/**
 * All problems as one message: a heading, then a line each, in the order of the file.
 * Aliases repeat problems: the same line is printed once.
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

function problemText({ path, message }: Problem): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

/** The problems that the schema found: its messages say what is expected, `sourceMap` what is there. */
export function toProblems(issues: readonly Issue[], sourceMap: SourceMap, above: Path = []): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, sourceMap, path);
    const branch = issue.code === 'invalid_union' ? matchingUnionBranch(issue.errors) : undefined;
    if (branch) return toProblems(branch, sourceMap, path);
    const message = `${describeValue(issue, sourceMap, path)}; expected ${issue.message}`;
    return { line: sourceMap.lineOf(path), path, message };
  });
}

function unknownKeys(
  issue: Extract<Issue, { code: 'unrecognized_keys' }>,
  sourceMap: SourceMap,
  parent: Path,
): Problem[] {
  const known = issue.message.split(', ');
  return issue.keys.map((name) => {
    const path = [...parent, name];
    return { line: sourceMap.lineOf(path), path, message: `unknown key; ${suggestKey(name, known)}` };
  });
}

function suggestKey(name: string, known: readonly string[]): string {
  const [start = '', ...rest] = name.split(':');
  if (rest.length > 0 && known.includes(start)) return `expected a space after ${start}:`;
  const nearest = findNearest(name, known);
  return nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`;
}

/** The branch of a union for this kind of value, if the problem is inside of the value. */
function matchingUnionBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const isAnotherKind = ({ code, path }: Issue) =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  return branches.find((issues) => !issues.some(isAnotherKind));
}

function describeValue(issue: Issue, sourceMap: SourceMap, path: Path): string {
  const place = sourceMap.at(path);
  const file = path.length > 0 ? '' : 'the file ';
  if (!place) return 'missing';
  if (place.written === '') return `${file}is empty`;
  const wanted = issue.code === 'invalid_type' ? issue.expected : undefined;
  // Not shown: it may be an API key, written where a mapping belongs.
  if (isScalar(place) && (wanted === 'object' || wanted === 'array')) return `${file}is a single value`;
  return `${sourceMap.displayValue(path)} is ${wanted !== undefined && place.kind === 'text' ? 'text' : 'not valid'}`;
}

function isScalar({ kind }: Place): boolean {
  return kind === 'text' || kind === 'other';
}
