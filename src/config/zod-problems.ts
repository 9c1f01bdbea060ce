import type { z } from 'zod';
import { findNearest } from '../lib/did-you-mean.ts';
import type { Path, Place, SourceMap } from './source-map.ts';

type Issue = z.core.$ZodIssue;

/** Something wrong with the value at a path, not yet placed in the file. */
export interface Finding {
  readonly path: Path;
  readonly says: string;
}

/** What the schema found wrong, in words: its messages say what is expected, `places` what is there. */
export function findProblems(issues: readonly Issue[], places: SourceMap, above: Path = []): Finding[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path);
    const branch = issue.code === 'invalid_union' ? meantBranch(issue.errors) : undefined;
    if (branch) return findProblems(branch, places, path);
    return { path, says: `${whatIsWrong(issue, places, path)}; expected ${issue.message}` };
  });
}

function unknownKeys(issue: Extract<Issue, { code: 'unrecognized_keys' }>, path: Path): Finding[] {
  const known = issue.message.split(', ');
  return issue.keys.map((name) => ({ path: [...path, name], says: `unknown key; ${advice(name, known)}` }));
}

function advice(name: string, known: readonly string[]): string {
  const [start = '', ...rest] = name.split(':');
  if (rest.length > 0 && known.includes(start)) return `expected a space after ${start}:`;
  const meant = findNearest(name, known);
  return meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
}

/** The branch of a union whose kind of value is there, and only something inside of it is wrong. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const isAnotherKind = ({ code, path }: Issue) =>
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
  return branches.find((issues) => !issues.some(isAnotherKind));
}

function whatIsWrong(issue: Issue, places: SourceMap, path: Path): string {
  const place = places.at(path);
  const file = path.length > 0 ? '' : 'the file ';
  if (!place) return 'missing';
  if (place.written === '') return `${file}is empty`;
  const wanted = issue.code === 'invalid_type' ? issue.expected : undefined;
  // Not shown: a key of its own may stand where the mapping around it belongs.
  if (isScalar(place) && (wanted === 'object' || wanted === 'array')) return `${file}is a single value`;
  return `${places.show(path)} is ${wanted !== undefined && place.kind === 'text' ? 'text' : 'not valid'}`;
}

function isScalar({ kind }: Place): boolean {
  return kind === 'text' || kind === 'other';
}
