/** Problems of a config file: from zod's issues to the message that lists them all. */
import type * as z from 'zod';
import { findNearest } from '../lib/did-you-mean.ts';
import { mayHoldKey, type Path, type Problem, type Source } from './source.ts';

type Issue = z.core.$ZodIssue;

/**
 * All problems as one message: a heading, then a line each, in the order of the file. Aliases repeat
 * problems: the same line is printed once.
 */
export function formatProblems(file: string, problems: readonly Problem[]): string {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const width = Math.max(...sorted.map(({ line }) => String(line ?? '').length));
  const formatLine = (line: number | null) =>
    line === null ? ' '.repeat(width === 0 ? 0 : width + 7) : `line ${String(line).padStart(width)}  `;
  const rows = new Set(
    sorted.map(({ line, path, message }) => {
      const where = path.length === 0 ? '' : `${formatPath(path)}: `;
      return `  ${formatLine(line)}${where}${message}`;
    }),
  );
  const count = rows.size === 1 ? '1 problem' : `${rows.size} problems`;
  return [`${file} has ${count}:`, ...rows].join('\n');
}

/**
 * Formats a path as `accounts[0].limits.per_second`. A name is cut at any other character, which may belong
 * to a value; one that may be a key is hidden.
 */
function formatPath(path: Path): string {
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    const plain = mayHoldKey(part) ? '' : (/^[\w-]*/.exec(part)?.[0] ?? '');
    return `.${plain === part ? plain : `${plain}…`}`;
  });
  return parts.join('').replace(/^\./, '');
}

/** The problems that the schema found: its messages say what is expected, `source` what is there. */
export function toProblems(issues: readonly Issue[], source: Source, above: Path = []): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((name) => {
        const own = [...path, name];
        const message = `unknown key; ${suggestKey(name, issue.message.split(', '))}`;
        const isSecret = source.secrets.some((secret) => name.includes(secret));
        return { line: source.lineOf(own), path: isSecret ? [...path, '…'] : own, message };
      });
    const branch = issue.code === 'invalid_union' ? findNearestBranch(issue.errors) : undefined;
    if (branch) return toProblems(branch, source, path);
    const message = `${describeValue(issue, source, path)}; expected ${issue.message}`;
    return { line: source.lineOf(path), path, message };
  });
}

function suggestKey(name: string, known: readonly string[]): string {
  const nearest = findNearest(name.split(':')[0] ?? '', known);
  return nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`;
}

/**
 * The branch of a union with the fewest problems, if it is the only one and they are inside of the value; an
 * unknown key counts most.
 */
function findNearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const isAnotherKind = ({ code, path }: Issue) =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  const countOf = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 10 * issue.keys.length : 1), 0);
  const [nearest, next] = branches
    .filter((issues) => !issues.some(isAnotherKind))
    .sort((one, other) => countOf(one) - countOf(other));
  return nearest && next && countOf(nearest) === countOf(next) ? undefined : nearest;
}

function describeValue(issue: Issue, source: Source, path: Path): string {
  const file = path.length > 0 ? '' : 'the file ';
  const kind = source.kindOf(path);
  if (kind === 'missing') return 'missing';
  if (kind === 'empty') return `${file}is empty`;
  const isScalar = kind === 'text' || kind === 'other';
  // the value is not shown: it may be an API key, written where a mapping belongs
  if (isScalar && wantsParts(issue)) return `${file}is a single value`;
  const isText = issue.code === 'invalid_type' && kind === 'text';
  return `${source.display(path)} is ${isText ? 'text' : 'not valid'}`;
}

/** True where only a mapping or a list is valid. */
const wantsParts = (issue: Issue | undefined): boolean =>
  issue?.code === 'invalid_union'
    ? issue.errors.every(([first]) => wantsParts(first))
    : issue?.code === 'invalid_type' && ['object', 'array'].includes(issue.expected);
