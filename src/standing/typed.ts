/** Commands to type, as this program says them. */

/** The config of a command that names no other. */
export const DEFAULT_CONFIG = 'vodhouse.yaml';

/** Writes a command that does the same whoever types it next: with the config of this one, where that is not the default. */
export type Typed = (words: string) => string;

/** Writes commands for whoever named this config. */
export function typedWith(config: string): Typed {
  const ending = config === DEFAULT_CONFIG ? '' : ` --config ${quoted(config)}`;
  return (words) => `vodhouse ${words}${ending}`;
}

/** As a POSIX shell reads it back. */
export function quoted(text: string): string {
  return /^[\w./@%+=:,][\w./@%+=:,-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that lets exactly these removals through: what came later than the walk that is named is not let through. */
export function acceptCommand(typed: Typed, held: { package_id: number; held_by: number | null }): string {
  const walk = held.held_by === null ? '' : ` ${held.held_by}`;
  return typed(`sync --package ${held.package_id} --accept-removals${walk}`);
}
