/** The errors of vodhouse; each comment begins with what the caller does next. */
import { commandsFor, DEFAULT_CONFIG, type FormatCommand } from './shell-command.ts';

/** A command in a hint, without `vodhouse` before it: it gets its `--config` where the hint is printed. */
export interface HintCommand {
  command: string;
}

/** What to type or do next: a text, or the parts of one in their order. */
export type Hint = string | readonly (string | HintCommand)[];

/** The text of a hint, with its commands as they are to be typed; undefined where there is none. */
export function formatHint(hint: Hint | undefined, formatCommand: FormatCommand): string | undefined {
  if (typeof hint === 'string') return hint;
  return hint?.map((part) => (typeof part === 'string' ? part : formatCommand(part.command))).join('');
}

interface ErrorOptions {
  hint?: Hint | undefined;
  cause?: unknown;
}

/** The base of all errors of vodhouse: a message of what went wrong, and a hint of what to do next. */
export class VodhouseError extends Error {
  /** The hint as it was given. */
  readonly hintParts: Hint | undefined;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.hintParts = options.hint;
  }

  /** What to type or do next, with commands for the default config; shown on a line of its own. */
  get hint(): string | undefined {
    return formatHint(this.hintParts, commandsFor(DEFAULT_CONFIG));
  }
}

/** Separates the lines of a hint: they are indented like its first one. */
export const NEXT_LINE = '\n     ';

/** Stop: the command line or the config is wrong. Nothing was sent. */
export class ConfigError extends VodhouseError {}

/** Fail the run: the warehouse file cannot be used. */
export class WarehouseError extends VodhouseError {}

/** Give up or wait: another process holds the lock. */
export class LockedError extends VodhouseError {}

/** Try again later: too many requests at once. */
export class BusyError extends VodhouseError {}

/** Stop at once: a signal ended the work before its end. */
export class InterruptedError extends VodhouseError {
  constructor(message = 'stopped before the end', options?: ErrorOptions) {
    super(message, options);
  }
}

/** Park the run: the wait for the budget would be longer than `max_wait`. */
export class ParkedError extends VodhouseError {
  readonly untilMs: number;

  constructor(message: string, untilMs: number) {
    super(message);
    this.untilMs = untilMs;
  }
}

/** Park the run: another one is due and goes first. */
export class PreemptedError extends ParkedError {}

export const FAULT_KINDS = [
  'connection',
  'timeout',
  'status',
  'redirect',
  'html',
  'truncated',
  'encoding',
  'shape',
  'too_large',
  'refused',
  'restricted',
  'final',
  'foreign',
] as const;
/** The kind of fault of one request. */
export type FaultKind = (typeof FAULT_KINDS)[number];

interface FaultOptions extends ErrorOptions {
  fault: FaultKind;
  status?: number | undefined;
  /** The service's own `errorCode` or `message`, where it gave one (docs/service.md 7). */
  code?: string | undefined;
}

class RequestError extends VodhouseError {
  readonly fault: FaultKind;
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(message: string, options: FaultOptions) {
    super(message, options);
    this.fault = options.fault;
    this.status = options.status;
    this.code = options.code;
  }
}

/** Retry: the fault of this request may be temporary. */
export class TransientError extends RequestError {}

/**
 * Fail this package, or the storage of this account: the service rejected the request, or a retry cannot
 * help.
 */
export class RefusedError extends RequestError {}

/** The `code` of a thrown value, such as `ECONNREFUSED`; empty if it has none. */
export function errorCode(error: unknown): string {
  // undefined for a number or a text, too
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Whether a server answered the begin of TLS with something else, such as HTTP. */
export function isWithoutTls(error: unknown): boolean {
  return /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(errorCode(error));
}

/**
 * The message of any thrown value. For a host with several addresses, Node wraps their errors in one without
 * a message. Messages of OpenSSL have lines of its source around the reason.
 */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(errorMessage).join(', ');
  if (isWithoutTls(error)) return 'the server speaks no TLS';
  const { library, reason } = (error ?? {}) as { library?: unknown; reason?: unknown }; // fields of OpenSSL
  if (library === 'SSL routines' && typeof reason === 'string') return reason;
  return error instanceof Error ? error.message : String(error);
}

/** Like `errorMessage`, in one line, as a log has it. */
export function errorLine(error: unknown): string {
  return joinLines(errorMessage(error));
}

/** The hint of any thrown value in one line; null if it has none. */
export function hintLine(error: unknown): string | null {
  return error instanceof VodhouseError && error.hint ? joinLines(error.hint) : null;
}

/** The line of a log for an error: what happened, and what to do next. */
export function withHint(message: string, hint: string | null): string {
  return hint === null ? message : `${message} -> ${hint}`;
}

/** A text of several lines as one line, in which the lines below the first follow as a list. */
function joinLines(text: string): string {
  const [first = '', ...others] = text.trim().split(/\s*\n\s*/);
  if (others.length === 0) return first;
  return `${first}${/[:;,]$/.test(first) ? '' : ':'} ${others.join('; ')}`;
}
