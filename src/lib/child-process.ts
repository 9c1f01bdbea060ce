/** Child processes that run files of this package. */
import { fork, type ChildProcess } from 'node:child_process';
import { ConfigError, errorMessage, LockedError, VodhouseError, WarehouseError } from './errors.ts';
import type { Hint } from './errors.ts';
import { ignoreLostLog } from './lost-log.ts';
import { PACKAGE_ROOT } from './package-root.ts';

/** The JavaScript that the build makes of an entry point in src, because Node 20 cannot run TypeScript. */
export const bundleUrl = (entryPoint: string): URL => new URL(`dist/${entryPoint}.js`, PACKAGE_ROOT);

/**
 * Starts an entry point, such as `publishing/publish-child`, as a child process with IPC. Its stdout is
 * ignored, its stderr inherited.
 */
export function forkBundle(entryPoint: string, env?: NodeJS.ProcessEnv): ChildProcess {
  // without the options of this process, such as a port for --inspect, which only one process can have
  return fork(bundleUrl(entryPoint), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env, execArgv: [] });
}

/**
 * For a child process: ends with its parent, and ignores signals to the process group, which the parent
 * handles. `end` is called when the parent disconnects or dies.
 */
export function exitWithParent(end: () => void = () => process.exit()): void {
  ignoreLostLog();
  process.on('disconnect', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

/** For a child process: sends a message, which is lost if the parent died. */
export function sendToParent(message: unknown): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** What `serveRequests` answers with. */
type Answer<Result> = { result: Result } | { error: SerializedError };

/**
 * The body of a child process that answers each request with the result or the error of `work`, until its
 * parent disconnects. The type of a request is what the parent gives to `runInChild`.
 */
export function serveRequests(work: (request: unknown) => unknown): void {
  const answerTo = async (request: unknown): Promise<Answer<unknown>> => {
    try {
      return { result: await work(request) };
    } catch (error) {
      return { error: serializeError(error) };
    }
  };
  exitWithParent();
  process.on('message', (request) => void answerTo(request).then(sendToParent));
}

/**
 * Runs a bundle that calls `serveRequests`, for one request. Returns its result, or throws its error. If the
 * signal aborts, kills it with SIGKILL and throws its reason. If it ends without an answer, `onDeath` cleans
 * up and returns the error to throw.
 */
export async function runInChild<Result>(
  entryPoint: string,
  request: object,
  signal: AbortSignal,
  onDeath: (reason: string, pid: number | undefined) => Error,
): Promise<Result> {
  signal.throwIfAborted();
  const child = forkBundle(entryPoint);
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    const answer = await sendRequest<Answer<Result>>(child, request);
    if ('ended' in answer) {
      const error = onDeath(answer.ended, child.pid);
      signal.throwIfAborted();
      throw error;
    }
    if ('error' in answer) throw deserializeError(answer.error);
    return answer.result;
  } finally {
    signal.removeEventListener('abort', kill);
    if (child.connected) child.disconnect();
  }
}

/** Sends the request. Returns the first message of the child, or how it ended without one. */
export function sendRequest<Message>(
  child: ChildProcess,
  request: object,
): Promise<Message | { ended: string }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message)); // as the code of the child sends it
    child.once('error', reject);
    child.once('exit', (code, killedBy) => {
      const end = () => resolve({ ended: killedBy ?? `code ${code}` });
      // a message that was sent before the end may not have been read yet
      if (child.connected) child.once('disconnect', end);
      else end();
    });
    child.send(request, (error) => (error ? child.kill('SIGKILL') : undefined));
  });
}

/** An error as it is sent. */
export interface SerializedError {
  name: string;
  message: string;
  hint: Hint | undefined;
  stack: string | undefined;
}

const CLASSES = { ConfigError, LockedError, WarehouseError };

/** The error in a form that can be sent. */
export function serializeError(error: unknown): SerializedError {
  const own = error instanceof VodhouseError ? error : null;
  const stack = error instanceof Error ? error.stack : undefined;
  return { name: own?.name ?? 'Error', message: errorMessage(error), hint: own?.hintParts, stack };
}

/** Restores the error, in its own class if vodhouse defines that. */
export function deserializeError({ name, message, hint, stack }: SerializedError): Error {
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES] : null;
  return known ? new known(message, { hint }) : Object.assign(new Error(message), { stack });
}
