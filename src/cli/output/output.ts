/** Paths, limits and JSON documents for a terminal. */
import { relative } from 'node:path';
import { isCheckout } from '../../lib/package-root.ts';

/** The most rows of a list that a person reads on a terminal; `--json` has all. */
export const MOST_ROWS = 40;

/** The path relative to the current folder, if it lies below it. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

/** A command as a person types it here: in a checkout by npx, elsewhere it is installed. */
export function asTyped(command: string): string {
  return isCheckout() ? `npx ${command}` : command;
}

/** A JSON document for stdout. */
export function formatJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
