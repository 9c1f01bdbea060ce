/** Checks the files of certificates that a config names. */
import { readCertificates } from './certificates.ts';
import type { Problem } from './problems.ts';
import type { Path, SourceMap } from './source-map.ts';

/** A problem whose line is that of its path. */
export type Found = Omit<Problem, 'line'>;

/** What the values of a config are checked against. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  now: number;
  /** A path of the file as an absolute one. */
  toAbsolute: (path: string) => string;
}

/** What is wrong with the file of a `ca`; none where there is none. */
export function checkAuthority(
  file: string | undefined,
  path: Path,
  sourceMap: SourceMap,
  toAbsolute: Surroundings['toAbsolute'],
): Found[] {
  if (file === undefined || file.trim() === '') return [];
  const read = readCertificates(toAbsolute(file));
  return 'problem' in read ? [{ path, message: `${sourceMap.displayValue(path)} ${read.problem}` }] : [];
}
