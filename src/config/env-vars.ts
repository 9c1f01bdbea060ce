/** Variables in the texts of a config: `${NAME}` and `${file:PATH}`. */
import { errorMessage, hintLine } from '../lib/errors.ts';
import { redact } from '../lib/redact.ts';

/**
 * The value of a variable, or of `file:PATH`; undefined if it is not set. Throws what reading the file
 * throws.
 */
export type Lookup = (name: string) => string | undefined;

/** A path in `${file:PATH}` may hold variables. */
const VARIABLE = /\$\$\{|\$\{(file:(?:\$\{[^}]*\}|[^}])*|[^}]*)(\}?)/g;
/** `${file:PATH}`: the content of a file, such as a Docker secret. */
export const FILE = 'file:';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Puts variables in place of `${NAME}` in a text; `$${` is a literal `${`. A variable without a value is not
 * replaced. `used`: it contains the value of a variable and must not be printed. `problems`: what is wrong
 * with its `${…}`, without any value.
 */
export function substitute(
  value: unknown,
  lookup: Lookup,
): { text: unknown; used: boolean; problems: string[] } {
  if (typeof value !== 'string') return { text: value, used: false, problems: [] };
  const problems: string[] = [];
  let used = false;
  const text = value.replace(VARIABLE, (match: string, name: string | undefined, end: string | undefined) => {
    if (name === undefined) return '${';
    used = true;
    if (end === '' || !(NAME.test(name) || name.startsWith(FILE))) {
      problems.push('a ${ without a plain name and a }; expected ${NAME}, or $${ for a literal ${');
      return match;
    }
    const inner = name.startsWith(FILE) ? substitute(name, lookup) : { text: name, problems: [] };
    problems.push(...inner.problems);
    return inner.problems.length > 0 ? match : (find(name, String(inner.text), lookup, problems) ?? match);
  });
  return { text, used, problems };
}

function find(name: string, resolved: string, lookup: Lookup, problems: string[]): string | undefined {
  try {
    const value = lookup(resolved);
    if (value === undefined)
      problems.push(
        `\${${name}} is not set; expected it in the environment or in the file .env in its folder`,
      );
    return value;
  } catch (error) {
    const advice = hintLine(error) ?? 'expected a readable file with the value';
    problems.push(`\${${name}} cannot be read (${errorMessage(error)}); ${advice}`);
    return undefined;
  }
}

/**
 * The environment for a child process, without variables that contain one of the secrets, as it is or
 * encoded, or that are a password which is a secret only in an address.
 */
export function childEnvWithout(secrets: readonly string[]): NodeJS.ProcessEnv {
  const isPlain = (value = '') => redact(value, secrets) === value && !secrets.includes(`:${value}@`);
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => isPlain(value)));
}

/**
 * What a service manager such as systemd passes to a process that it starts (sd_notify(3),
 * sd_watchdog_enabled(3)).
 */
export interface NotifySocket {
  /**
   * The environment of the program that sends a message to it: the address of the socket, and where programs
   * are.
   */
  environment: { NOTIFY_SOCKET: string; PATH: string };
  /** The process is restarted where it is silent for this long; null: no matter how long. */
  watchdogMs: number | null;
}

/**
 * Takes the variables out of the environment, so that no child process speaks for this one. Null where no
 * service manager waits for messages. A watchdog that is meant for another process, such as a shell that
 * started this one, is none.
 */
export function takeNotifySocket(
  env: Record<string, string | undefined> = process.env,
  pid: number = process.pid,
): NotifySocket | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched, PATH = '' } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) Reflect.deleteProperty(env, name);
  if (socket === undefined || socket === '') return null;
  const watchdogMs = Number(usec ?? '') / 1000;
  const isOurs = watched === undefined || Number(watched) === pid;
  return {
    environment: { NOTIFY_SOCKET: socket, PATH },
    watchdogMs: isOurs && watchdogMs > 0 ? watchdogMs : null,
  };
}
