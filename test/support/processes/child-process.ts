/** Child processes, for tests that need a second process. `BIN` needs `npm run build`. */
import { spawn, type SpawnOptions } from 'node:child_process';
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

/** Root can write everywhere, and PostgreSQL does not run as root: then a process runs as nobody. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** How a process ended: its exit code, or else the signal that ended it. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export type Child = ReturnType<typeof startProcess>;

/** Starts a program for several tests; the caller must stop it. */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    /** Everything written so far. */
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves with the match when the child has written it to stdout; rejects when it ends before. */
    waitForOutput: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(stdout);
          if (found) resolve(found);
        };
        child.stdout?.on('data', check);
        check();
        void ended.then((end) =>
          reject(new Error(`it ended before it wrote ${pattern.source}: ${end.stderr}`)),
        );
      }),
    ended,
  };
}

/** Kills the child when the test ends. */
export function killAfterTest(child: Child): Child {
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child.ended;
  });
  return child;
}

/** Runs Node with these arguments; the child is killed when the test ends. */
export const run = (args: readonly string[], options: SpawnOptions = {}): Child =>
  killAfterTest(startProcess(process.execPath, args, options));

/** Runs an ES module given as text, which may import TypeScript; the child is killed when the test ends. */
export const runModule = (text: string, options: SpawnOptions = {}): Child =>
  run([`--import=${LOADER}`, '--input-type=module', '--eval', text], options);
