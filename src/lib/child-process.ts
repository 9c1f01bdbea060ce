/** Processes and threads of our own beside the one that asks. */
import { fork, type ChildProcess, type Serializable } from 'node:child_process';

/** A built file by its path below `src`, also where the sources run: Node 20 cannot run TypeScript in a process of its own. */
export function distFile(path: string): URL {
  return new URL(`../../dist/${path}`, import.meta.url);
}

/** Starts a built file as a process that is talked to by messages; what it writes is dropped, but for its last words on stderr. */
export function forkDist(path: string, env?: NodeJS.ProcessEnv): ChildProcess {
  return fork(distFile(path), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    ...(env && { env }),
  });
}

/**
 * For a process that another one of ours started: it ends with that one, and by it. A signal to the whole group is for the
 * parent, which knows what to do about it. `end` is called when the parent lets go or is gone.
 */
export function exitWithParent(end: () => void = () => process.exit()): void {
  process.on('disconnect', end);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}

/** Gives the process its order. Gives what it answers, as soon as that is said; or how it ended without a word. */
export function awaitMessage<Answer>(
  child: ChildProcess,
  order: Serializable,
): Promise<Answer | { ended: string }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Answer));
    child.once('error', reject);
    child.once('exit', (code, killedBy) => {
      const end = () => resolve({ ended: killedBy ?? `code ${code}` });
      if (child.connected)
        child.once('disconnect', end); // what it said may not have been read yet
      else end();
    });
    child.send(order, (error) => (error ? child.kill('SIGKILL') : undefined));
  });
}
