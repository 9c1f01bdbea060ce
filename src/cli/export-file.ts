/** Which file an export may write. */
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readHeader, resolveLink } from '../database/files.ts';
import { ConfigError } from '../lib/errors.ts';

/** What vodhouse keeps next to its files. */
const COMPANION = /(?:-wal|-shm|-journal|\.lock|\.holder|\.restoring)$/;

/**
 * The path that `--out` leads to. Throws ConfigError for what an export must never replace: a database (the process must not have
 * it open), what belongs to one, the config, its secrets, and `own`, the files that it names.
 */
export function resolveExportFile(out: string, config: string, own: readonly string[]): string {
  const path = resolveLink(resolve(out));
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) throw refuse(out, 'is no file');
  const files = [config, join(dirname(config), '.env'), ...own].map((file) => resolveLink(resolve(file)));
  const isOurs = files.includes(path) || COMPANION.test(basename(path)) || basename(path) === '.env';
  if (isOurs) throw refuse(out, 'belongs to vodhouse');
  if (existing && readHeader(path) !== null) throw refuse(out, 'is a database');
  return path;
}

const refuse = (out: string, why: string) =>
  new ConfigError(`${out} ${why}: an export does not replace it`, {
    hint: 'name another file, or - for stdout; nothing was changed',
  });
