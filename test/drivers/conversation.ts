/** Sends lines to a process that answers each line on stdin with one line on stdout. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Root can write everywhere: then the drivers run as nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

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
export function startAsReader(
  command: string,
  parameters: readonly string[],
): ChildProcessWithoutNullStreams {
  return spawn(command, parameters, { ...NOBODY, cwd: '/', env: ENVIRONMENT });
}

/** Starts a script with the protocol of reader.py; one request at a time. */
export function converse(command: string, parameters: readonly string[]): Conversation {
  const child = startAsReader(command, parameters);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  child.stdin.on('error', () => undefined); // it has ended: reported to the caller that awaits an answer
  const ended = new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  return {
    send: async <T>(...args: string[]) => {
      child.stdin.write(`${args.join('\u001f').replaceAll('\n', '\u001e')}\n`);
      const line = (await lines.next()) as IteratorResult<string, undefined>;
      if (line.done) throw new Error(`${command} ended: ${complaint}`);
      const answer = JSON.parse(line.value) as T & { error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
