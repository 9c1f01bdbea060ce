/** Texts that the sentences of problems are made of. Pure. */
import { capitalize, escapeControls, formatCount, truncate } from '../lib/format.ts';
import { keyOfPackage, type PackageRow } from '../sync/package-key.ts';
import { isAccountStream, STREAM_KINDS, type StreamRow } from '../sync/streams.ts';

/** Days, fields or accounts that an alert lists. */
export const MAX_LISTED = 100;
const EXAMPLES = 3;
const MAX_DETAILS = 5;

/** The text as a sentence of its own: with a capital letter, unless it begins with the key of a package. */
export function toSentence(text: string, account: string | null): string {
  return account !== null && text.startsWith(`${account}/`) ? text : capitalize(text);
}

/** The first three, and the number of the others. */
export function listFirst(items: readonly (string | number)[]): string {
  const left = items.length - EXAMPLES;
  return [...items.slice(0, EXAMPLES), ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** `account main`, `3 accounts (main, second, third)`. */
export function nameAccounts(names: readonly string[]): string {
  return names.length === 1
    ? `account ${names[0]}`
    : `${formatCount(names.length)} accounts (${listFirst(names)})`;
}

/** The first five lines, and the number of the others out of `all`. */
export function limitDetails(lines: readonly string[], all = lines.length): string[] {
  const shown = lines.slice(0, MAX_DETAILS);
  return [...shown, ...(all > shown.length ? [`and ${formatCount(all - shown.length)} more`] : [])];
}

/** The earliest of the times; null where there is none. */
export function findEarliest(rows: readonly { since: string | null }[]): string | null {
  return rows.flatMap(({ since }) => since ?? []).sort()[0] ?? null;
}

/** The earliest of the times; null if one of them is null, or there is none. */
export function findOldest(times: readonly (string | null)[]): string | null {
  return times.includes(null) ? null : (times.toSorted()[0] ?? null);
}

/** The text on one line, without control characters, up to this many columns. */
export function toOneLine(text: string, columns = 300): string {
  return truncate(escapeControls(text.replaceAll(/\s+/g, ' ').trim()), columns);
}

/** Hints in one text; null is left out. */
export function joinHints(...hints: readonly (string | null | undefined)[]): string {
  return hints.flatMap((hint) => (hint ? toOneLine(hint) : [])).join('; ');
}

/** `main/101 (Lectures)`. */
export function formatPackage(account: string, packageId: number, name: string | null): string {
  return `${account}/${packageId}${name === null ? '' : ` (${toOneLine(name, 60)})`}`;
}

/** The error without the subject that errors of requests begin with, because it is shown next to it. */
export function withoutSubject(error: string, { account, package_id: id, stream }: StreamRow): string {
  const ofAccount = isAccountStream(stream) ? `, ${STREAM_KINDS[stream].one}` : '';
  const part = id !== null ? `, package ${id}` : ofAccount;
  const subject = `account ${account}${part}`;
  const rest = error.startsWith(subject) ? error.slice(subject.length) : '';
  return /^[,:]? /.test(rest) ? rest.replace(/^[,:]? /, '') : error;
}

/** The rows by their key, in the order of the first row of each. */
export function groupBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, [Row, ...Row[]]> {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** Adds scope and name of their package to the rows. Rows of packages that the config lacks are left out. */
export function joinPackages<Row extends PackageRow>(
  rows: readonly Row[],
  { packages }: { packages: readonly (PackageRow & { name: string | null; walked_at: string | null })[] },
) {
  const reports = new Map(packages.map((row) => [keyOfPackage(row), row]));
  return rows.flatMap((row) => {
    const report = reports.get(keyOfPackage(row));
    if (!report) return [];
    const { account, package_id: packageId } = row;
    const name = formatPackage(account, packageId, report.name);
    return { ...row, scope: { account, packageId }, name, isRead: report.walked_at !== null };
  });
}
