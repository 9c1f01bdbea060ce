/** Sends lines to a process that answers each line on stdin with one line on stdout. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { NOBODY, startProcess } from '../support/processes/child-process.ts';

/** Neither the time zone of the service nor UTC. */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  TZ: 'Pacific/Honolulu',
  PYTHONDONTWRITEBYTECODE: '1',
};

export interface Conversation {
  /** Returns the answer. Throws an error with the message of the process. */
  send: <T>(...args: string[]) => Promise<T>;
  close: () => Promise<void>;
}

/** Starts a program as a user who may write neither the file nor its folder. */
export const startAsReader = (command: string, parameters: readonly string[]) =>
  startProcess(command, parameters, {
    ...NOBODY,
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

/** Starts a script with the protocol of reader.py; one request at a time. */
export function converse(command: string, parameters: readonly string[]): Conversation {
  const { process: child, stderr, ended } = startAsReader(command, parameters);
  const { stdin, stdout } = child as ChildProcessWithoutNullStreams;
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  stdin.on('error', () => undefined); // it has ended: reported to the caller that awaits an answer
  return {
    send: async <T>(...args: string[]) => {
      stdin.write(`${args.join('\u001f').replaceAll('\n', '\u001e')}\n`);
      const line = (await lines.next()) as IteratorResult<string, undefined>;
      if (line.done) throw new Error(`${command} ended: ${stderr()}`);
      const answer = JSON.parse(line.value) as T & { error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    },
    close: async () => {
      stdin.end();
      await ended;
    },
  };
}
