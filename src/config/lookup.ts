/**
 * Where the values of variables come from: the environment, the file `.env` next to the config, and files
 * that are named.
 */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readTextFile } from '../lib/text-file.ts';
import { ConfigError, errorCode, errorMessage } from '../lib/errors.ts';
import { shellQuote } from '../lib/shell-command.ts';
import { FILE, type Lookup } from './env-vars.ts';
import { formatProblems } from './problems.ts';
import type { Problem } from './source.ts';

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=(.*)$/;
const QUOTES = new Set(['"', "'", '`']);
/** A comment after a value. A # without a blank before it belongs to the value. */
const COMMENT = /[ \t]#.*$/;

/** The bits of the mode of a file that are its permissions. */
const PERMISSION_BITS = 0o777;

/** Variables from `env`, then from the `.env` in the folder. Throws what `readDotEnv` throws. */
export function createLookup(folder: string, env: Readonly<Record<string, string | undefined>>): Lookup {
  const variables = new Map([
    ...readDotEnv(join(folder, '.env')),
    ...Object.entries(env).filter(([, value]) => value !== undefined),
  ]);
  return (name) =>
    name.startsWith(FILE)
      ? readOwnFile(resolve(folder, name.slice(FILE.length))).replace(/\r?\n$/, '')
      : variables.get(name);
}

/**
 * The variables of a file `.env`; none where it does not exist. Throws ConfigError where it cannot be read,
 * or has a problem.
 */
function readDotEnv(file: string): ReadonlyMap<string, string> {
  const { variables, problems } = parseDotEnv(readIfExists(file) ?? '');
  if (problems.length > 0) throw new ConfigError(formatProblems(file, problems));
  return variables;
}

/** The text of a file; null where it does not exist. Throws ConfigError where it cannot be read. */
export function readIfExists(file: string): string | null {
  try {
    return readOwnFile(file);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null;
    const hint = cause instanceof ConfigError ? cause.hintParts : undefined;
    throw new ConfigError(`${file} cannot be read: ${errorMessage(cause)}`, { hint, cause });
  }
}

/** The text of a file. Throws ConfigError where this user may not read it, else what reading it throws. */
function readOwnFile(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw errorCode(error) === 'EACCES' ? createDeniedError(file, error) : error;
  }
}

/** Names the owner and the mode of a file that this user may not read. */
function createDeniedError(file: string, cause: unknown): ConfigError {
  const [user, path] = [process.getuid?.(), shellQuote(file)];
  try {
    const { uid, mode } = statSync(file);
    const rights = (mode & PERMISSION_BITS).toString(8).padStart(3, '0');
    const message = `it belongs to user ${uid}, with mode ${rights}, and this is user ${user}`;
    const asOwner = `run vodhouse as that user: sudo -u '#${uid}' vodhouse …; or make it yours: sudo chown ${user} ${path}`;
    return new ConfigError(message, { hint: uid === user ? `chmod 600 ${path}` : asOwner, cause });
  } catch {
    const hint = `its folder belongs to another user: ls -la ${shellQuote(dirname(file))}`;
    return new ConfigError(errorMessage(cause), { hint, cause });
  }
}

/**
 * A line `NAME=VALUE` is a variable, as shells read it. A value in quotes may have more than one line; in
 * double quotes, `\n` begins a new one. Other lines are ignored.
 */
function parseDotEnv(text: string): { variables: Map<string, string>; problems: Problem[] } {
  const variables = new Map<string, string>();
  const problems: Problem[] = [];
  const lines = text.split(/\r\n|\n|\r/);
  for (let index = 0; index < lines.length; index++) {
    const [, name, written = ''] = ASSIGNMENT.exec(lines[index] ?? '') ?? [];
    if (name === undefined) continue;
    let value = written.trimStart();
    const quote = value.charAt(0);
    if (!QUOTES.has(quote)) {
      variables.set(name, written.replace(COMMENT, '').trim());
      continue;
    }
    const line = index + 1;
    while (!value.includes(quote, 1) && index + 1 < lines.length) value += `\n${lines[++index]}`;
    const end = value.indexOf(quote, 1);
    const after = value.slice(end + 1).replace(COMMENT, '');
    if (end === -1 || after.trim() !== '') {
      const message = `the quote ${quote} is not closed, or text follows it; expected NAME=VALUE or NAME=${quote}VALUE${quote}`;
      problems.push({ line, path: [name], message });
      continue;
    }
    const inside = value.slice(1, end);
    variables.set(name, quote === '"' ? inside.replaceAll('\\n', '\n') : inside);
  }
  return { variables, problems };
}
