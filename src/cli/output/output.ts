/** Paths and JSON documents for a terminal. */
import { relative } from 'node:path';
import { isCheckout } from '../../lib/package-root.ts';

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
