/** How commands print paths, other commands and JSON documents. */
import { relative } from 'node:path';
import { isCheckout } from '../../lib/package-root.ts';

/** The path, relative to the current folder if the file is in it or below it. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

/** A command as a person types it here: with `npx` in a checkout, because it is not installed there. */
export function asTyped(command: string): string {
  return isCheckout() ? `npx ${command}` : command;
}

/** A JSON document. Its keys become snake_case, undefined becomes null, and functions are left out. */
export function formatJson(document: unknown): string {
  return `${JSON.stringify(document, (_, value: unknown) => toSnakeCase(value), 2)}\n`;
}

function toSnakeCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? null;
  const fields = Object.entries(value).filter(([, each]) => typeof each !== 'function');
  return Object.fromEntries(
    fields.map(([key, each]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), each]),
  );
}
