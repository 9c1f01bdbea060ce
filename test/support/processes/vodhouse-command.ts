/** The built command as a child process. Requires `npm run build`. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';

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

/** Runs the command to its end. */
export function vodhouse(parameters: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return startVodhouse(parameters, surroundings).ended;
}

/** Polls until the condition is true; a busy machine gets enough time. */
export function eventually<T>(read: () => T) {
  return expect.poll(read, { timeout: 30_000, interval: 20 });
}
