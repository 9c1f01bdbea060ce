/** The real worker. The test triggers its ticks, and can stop it like a killed process. */
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import type { Config } from '../../../src/config/config.ts';
import { InterruptedError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { runWorker } from '../../../src/app/worker.ts';
import type { VirtualClock } from '../clocks/virtual-clock.ts';
import { silentProgress } from '../../../src/sync/context.ts';

export interface SoakWorker {
  /** Checks what is due, and resolves when that is done. */
  runTick(): Promise<void>;
  /**
   * Saves the files at this moment, in the middle of a run, and prevents any new run. `restoreFiles`
   * discards everything that the process writes after that.
   */
  kill: () => void;
  isKilled(): boolean;
  /** Restores the files of `kill`, once no connection has them open. */
  restoreFiles(): Promise<void>;
  stop(): Promise<void>;
}

export interface SoakWorkerOptions {
  config: Config;
  clock: VirtualClock;
  /** Called with messages that must never be logged: a run that failed for other reasons than the service. */
  onDefect: (line: string) => void;
}

const FILES = ['', '-wal'];

function notChecking(): never {
  throw new Error('the worker ended before its first tick');
}

export function startSoakWorker({ config, clock, onDefect }: SoakWorkerOptions): SoakWorker {
  const { warehouse: path } = config;
  const controller = new AbortController();
  let give: (tick: () => Promise<void>) => void = () => undefined;
  const given = new Promise<() => Promise<void>>((resolve) => (give = resolve));
  let killed = false;
  const write = (line: string) => {
    if (line.includes('the run failed') || line.includes('could not be stored')) onDefect(line);
  };
  const logger = createLogger({ level: 'error', format: 'json', secrets: [], write });
  const ticks = (tick: () => Promise<void>) => {
    give(tick);
    return () => undefined;
  };
  const surroundings = { clock, logger, progress: silentProgress, command: 'start', startTicks: ticks };
  const ended = runWorker(config, surroundings, controller.signal, {
    onRun: () => undefined,
    onStarted: () => undefined,
    onReloaded: () => undefined,
    onServing: () => undefined,
    onPublished: () => undefined,
  });
  return {
    runTick: async () => (await Promise.race([given, ended.then(notChecking)]))(),
    kill: () => {
      killed = true;
      for (const file of FILES) {
        if (existsSync(path + file)) copyFileSync(path + file, `${path}.killed${file}`);
      }
      controller.abort(new InterruptedError('killed by the test'));
    },
    isKilled: () => killed,
    restoreFiles: async () => {
      await ended;
      for (const file of [...FILES, '-shm']) rmSync(path + file, { force: true });
      for (const file of FILES) {
        if (existsSync(`${path}.killed${file}`)) renameSync(`${path}.killed${file}`, path + file);
      }
    },
    stop: async () => {
      controller.abort(new InterruptedError('stopped by the test'));
      await ended;
    },
  };
}
