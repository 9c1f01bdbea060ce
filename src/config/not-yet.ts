import type { Config } from './config.ts';

/** What the config asks for and this version does not do, a line each: it is accepted, and people should be told. */
export function notYet(config: Config): string[] {
  const lines: string[] = [];
  if (config.notify) lines.push('notify: this version tells nobody yet');
  return lines;
}
