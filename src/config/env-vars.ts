import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { errorCode, ConfigError, errorMessage } from '../lib/errors.ts';
import { redact } from '../lib/redact.ts';

/** The value of a variable; undefined if it is not set. */
export interface Lookup {
  (name: string): string | undefined;
  /** Why `file:PATH` has no value, with the absolute path. */
  explain?: (name: string) => string;
}

/** A text after substitution. `used`: it contains the value of a variable and must not be printed. */
export interface Substituted {
  text: string;
  used: boolean;
  /** What is wrong with its `${…}`, without any value. */
  problems: string[];
}

/** A path in `${file:PATH}` may hold variables. */
const VARIABLE = /\$\$\{|\$\{(file:(?:\$\{[^}]*\}|[^}])*|[^}]*)(\}?)/g;
/** `${file:PATH}`: the content of a file, such as a Docker secret. */
const FILE = 'file:';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A text that is a variable without braces: `$NAME`. */
const UNBRACED = /^\$[A-Za-z_]\w*(?=\/|$)/;

/** What is wrong with a value that begins with `$NAME`; null for another. The name may be a key: printed only if it is set. */
export function findUnbraced(raw: string, lookup: Lookup): string | null {
  const name = UNBRACED.exec(raw)?.[0].slice(1);
  if (name === undefined) return null;
  const expected = lookup(name) === undefined ? '${NAME}' : `\${${name}}`;
  return `begins with a variable without braces, which is not replaced; expected ${expected}`;
}

/** Puts variables in place of `${NAME}`; `$${` is a literal `${`. A variable without a value is not replaced. */
export function substitute(text: string, lookup: Lookup): Substituted {
  const result: Substituted = { text, used: false, problems: [] };
  result.text = text.replace(VARIABLE, (match: string, name: string | undefined, end: string | undefined) => {
    if (name === undefined) return '${';
    result.used = true;
    if (end === '' || !(NAME.test(name) || name.startsWith(FILE))) {
      result.problems.push('a ${ without a plain name and a }; expected ${NAME}, or $${ for a literal ${');
      return match;
    }
    const resolved = name.startsWith(FILE) ? substitute(name, lookup) : { text: name, problems: [] };
    if (resolved.problems.length > 0) {
      result.problems.push(...resolved.problems);
      return match;
    }
    const value = lookup(resolved.text);
    if (value === undefined) {
      result.problems.push(
        name.startsWith(FILE)
          ? `\${${name}} cannot be read${explained(lookup, resolved.text)}; expected a readable file with the value`
          : `\${${name}} is not set; ${whereToSet(name)}`,
      );
    }
    return value ?? match;
  });
  return result;
}

/** Variables from `env`, then from the `.env` in the folder; `file:PATH` is the content of that file. Throws ConfigError if that is unreadable. */
export function createLookup(folder: string, env: Readonly<Record<string, string | undefined>>): Lookup {
  const dotEnv = readDotEnv(join(folder, '.env'));
  const toFile = (name: string) => resolve(folder, name.slice(FILE.length));
  const lookup = (name: string) =>
    name.startsWith(FILE) ? readValueFile(toFile(name)) : (own(env, name) ?? own(dotEnv, name));
  return Object.assign(lookup, { explain: (name: string) => explainUnreadable(toFile(name)) });
}

/** systemd frees the credentials of a unit when it stops, and lets no other user read them. */
const CREDENTIALS = '/run/credentials/';
const BY_HAND =
  'systemd gives credentials to a worker only, while it runs; for other commands: sudo vodhouse-run COMMAND, as in docs/deploy.md';

function whereToSet(name: string): string {
  if (name === 'CREDENTIALS_DIRECTORY') return BY_HAND;
  return 'expected it in the environment or in the file .env in its folder';
}

function explained({ explain }: Lookup, name: string): string {
  return explain ? ` (${explain(name)})` : '';
}

function explainUnreadable(file: string): string {
  const reason = findReason(file);
  return file.startsWith(CREDENTIALS) ? `${reason}: ${BY_HAND}` : reason;
}

function findReason(file: string): string {
  try {
    if (!statSync(file).isFile()) return `${file} is no regular file`;
    accessSync(file, constants.R_OK);
    return `${file} cannot be read`;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${file} does not exist`;
    return code === 'EACCES' ? `no permission to read ${file}` : errorMessage(error);
  }
}

/** The content without a line break at its end; undefined where it is not a regular file that can be read. */
function readValueFile(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8').replace(/\r?\n$/, '') : undefined;
  } catch {
    return undefined;
  }
}

function own(variables: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function readDotEnv(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {};
    throw new ConfigError(`${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * The environment for a child process, without variables that contain one of the secrets, as it is or encoded, or that are a
 * password which is a secret only in an address.
 */
export function childEnvWithout(secrets: readonly string[]): NodeJS.ProcessEnv {
  const isPlain = (value = '') => redact(value, secrets) === value && !secrets.includes(`:${value}@`);
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => isPlain(value)));
}
