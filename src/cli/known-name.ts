import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError } from '../lib/errors.ts';

/** Throws ConfigError for a name that is not among the known ones: `message` and the name, and the nearest known one. */
export function assertKnown(message: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean ${nearest}?`;
  throw new ConfigError(`${message} ${name}; nothing was changed`, { hint });
}
