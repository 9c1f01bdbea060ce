/** The command, called in this process, or the built one as a child process (after `npm run build`). */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';

const BINARY = fileURLToPath(new URL('../../../bin/vodhouse.js', import.meta.url));

/** How a process ended: its exit code, or else the signal that ended it. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  cwd: string;
  /** Variables in addition to PATH and HOME; the command inherits no others. */
  env?: Readonly<Record<string, string>>;
  /** The command of an installed package; by default that of the checkout. */
  binary?: string;
  /** The Node that runs it; by default that of the tests. */
  node?: string;
}

export interface RunningCommand {
  pid: number;
  /** Everything written so far. */
  stdout: () => string;
  stderr: () => string;
  /** Closes the pipe that it logs to, as a log reader that ends does. */
  closeLog: () => void;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<Ended>;
}

/** Starts the command; one that still runs when the test is over is killed. */
export function startVodhouse(parameters: readonly string[], surroundings: Surroundings): RunningCommand {
  const command = spawnVodhouse(parameters, surroundings);
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command.ended;
  });
  return command;
}

/** Starts the command for several tests; the caller must stop it. */
export function spawnVodhouse(
  parameters: readonly string[],
  { cwd, env = {}, binary = BINARY, node = process.execPath }: Surroundings,
): RunningCommand {
  const child = spawn(node, [binary, ...parameters], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    closeLog: () => void child.stderr.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
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

/** Polls until the condition is true; a busy machine gets enough time. */
export function eventually<T>(read: () => T) {
  return expect.poll(read, { timeout: 30_000, interval: 20 });
}
