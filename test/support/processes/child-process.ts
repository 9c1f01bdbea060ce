/** Child processes, for tests that need a second process. `BIN` needs `npm run build`. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);
const LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
/** The installed command. */
export const BIN = fileURLToPath(new URL('bin/vodhouse.js', ROOT));

/** The address of a module, for `runModule`: `database/lock.ts`. */
export function moduleUrl(module: string): string {
  return new URL(`src/${module}`, ROOT).href;
}

export interface Child {
  process: ChildProcess;
  /** Resolves when the child has written the text to stdout; rejects when it ends before. */
  waitForOutput(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** Runs an ES module given as text, which may import TypeScript; the child is killed when the test ends. */
export function runModule(text: string, options: SpawnOptions = {}): Child {
  return run([`--import=${LOADER}`, '--input-type=module', '--eval', text], options);
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
