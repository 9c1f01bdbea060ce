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

/** A JSON document for stdout: its keys in snake_case, null for what is undefined. */
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
