/** Commands to type, as messages name them. */

/** The config of a command without `--config`. */
export const DEFAULT_CONFIG = 'vodhouse.yaml';

/** Formats a command with its `--config`, unless that is the default. */
export type FormatCommand = (words: string) => string;

/** Returns the function that formats commands for the config at this path. */
export function commandsFor(config: string): FormatCommand {
  const ending = config === DEFAULT_CONFIG ? '' : ` --config ${shellQuote(config)}`;
  return (words) => `vodhouse ${words}${ending}`;
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w./@%+=:,][\w./@%+=:,-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
