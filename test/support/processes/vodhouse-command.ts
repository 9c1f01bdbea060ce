/** The command, called in this process, or the built one as a child process (after `npm run build`). */
import { vi } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { BIN, killAfterTest, startProcess, type Child, type Ended } from './child-process.ts';

export interface Surroundings {
  cwd: string;
  /** Variables in addition to PATH and HOME; the command inherits no others. */
  env?: Readonly<Record<string, string>>;
  /** The command of an installed package; by default that of the checkout. */
  binary?: string;
  /** The Node that runs it; by default that of the tests. */
  node?: string;
}

/** Starts the command; one that still runs when the test is over is killed. */
export const startVodhouse = (parameters: readonly string[], surroundings: Surroundings): Child =>
  killAfterTest(spawnVodhouse(parameters, surroundings));

/** Starts the command for several tests; the caller must stop it. */
export function spawnVodhouse(
  parameters: readonly string[],
  { cwd, env = {}, binary = BIN, node = process.execPath }: Surroundings,
): Child {
  const variables = { PATH: process.env.PATH ?? '', HOME: cwd, ...env };
  return startProcess(node, [binary, ...parameters], { cwd, env: variables });
}

let lastCommand: Promise<unknown> = Promise.resolve();

/**
 * Calls the command in this process, in the given folder and with these variables only; one after the other, because the folder,
 * the variables and the output belong to the process.
 */
export function vodhouse(
  parameters: readonly string[],
  surroundings: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<Ended> {
  const ended = lastCommand.then(() => callCommand(parameters, surroundings));
  lastCommand = ended.catch(() => undefined);
  return ended;
}

async function callCommand(
  parameters: readonly string[],
  { cwd, env = {} }: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<Ended> {
  const before = { folder: process.cwd(), env: process.env };
  const [stdout, stderr] = [captureStream(process.stdout), captureStream(process.stderr)];
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => ({
    name,
    listeners: process.listeners(name),
  }));
  process.chdir(cwd);
  process.env = { PATH: before.env.PATH, HOME: cwd, ...env };
  try {
    const code = await runCommandLine(parameters);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before.folder);
    process.env = before.env;
    stdout.restore();
    stderr.restore();
    for (const { name, listeners } of signals) {
      const added = process.listeners(name).filter((each) => !listeners.includes(each));
      for (const each of added) process.removeListener(name, each);
    }
  }
}

/** Keeps what is written to a stream of this process, in place of writing it. */
function captureStream(stream: NodeJS.WriteStream) {
  const pieces: Uint8Array[] = [];
  const spy = vi.spyOn(stream, 'write').mockImplementation((piece, encoding, written) => {
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
    const callback = typeof encoding === 'function' ? encoding : written;
    if (callback) setImmediate(callback);
    return true;
  });
  return { text: () => Buffer.concat(pieces).toString('utf8'), restore: () => spy.mockRestore() };
}
