/** Paths and JSON documents for a terminal. */
import { relative } from 'node:path';

/** The path relative to the current folder, if it lies below it. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

/** A JSON document for stdout. */
export function formatJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
