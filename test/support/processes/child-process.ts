/** Child processes that run the built code, for tests that need a second process. Needs `npm run build`. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);
/** The installed command. */
export const BIN = fileURLToPath(new URL('bin/vodhouse.js', ROOT));

/** The address of a built module: `database/lock.js`. */
export function built(module: string): string {
  const url = new URL(`dist/${module}`, ROOT);
  if (!existsSync(url)) throw new Error(`${url.pathname} is not there: npm run build`);
  return url.href;
}

export interface Child {
  process: ChildProcess;
  /** Resolves when the child has written the text to stdout; rejects when it ends before. */
  waitForOutput(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** Runs an ES module given as text; the child is killed when the test ends. */
export function runModule(text: string, options: SpawnOptions = {}): Child {
  return run(['--input-type=module', '--eval', text], options);
}

/** Runs Node with these arguments; the child is killed when the test ends. */
export function run(args: readonly string[], options: SpawnOptions = {}): Child {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Awaited<Child['ended']>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { process: child, ended, waitForOutput: (text) => waitForOutput(child, ended, () => stdout, text) };
}

function waitForOutput(
  child: ChildProcess,
  ended: Child['ended'],
  stdout: () => string,
  text: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (stdout().includes(text)) resolve();
    };
    child.stdout?.on('data', check);
    check();
    void ended.then((end) => reject(new Error(`it ended before it wrote ${text}: ${end.stderr}`)));
  });
}
