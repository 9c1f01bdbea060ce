import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LockedError, WarehouseError } from '../../src/lib/errors.ts';
import {
  findOtherHolder,
  isHeld,
  lockOrThrow,
  readHolder,
  readLiveHolder,
  tryLock,
  type LockName,
} from '../../src/database/lock.ts';
import { catchError } from '../support/catch-error.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const SINCE = toMs('2026-03-01T12:00Z');
const livePath = () => join(temporaryFolder(), 'data/live.db');

/** Takes the lock, reports it, and runs until it is killed. */
const taker = (path: string, name: LockName) => `
  import { lockOrThrow } from '${moduleUrl('database/lock.ts')}';
  globalThis.lock = lockOrThrow('${path}', '${name}', 'start', ${SINCE});
  process.stdout.write('taken');
  setInterval(() => undefined, 1000);`;

const catchRefusal = (run: () => unknown) => catchError(LockedError, run);

describe('a lock', () => {
  const name = 'run';

  it('is exclusive, and the error names the holder', () => {
    const path = livePath();
    const lock = lockOrThrow(path, name, 'sync', SINCE);
    expect(tryLock(path, name, 'sync', SINCE)).toBeNull();
    const refusal = catchRefusal(() => lockOrThrow(path, name, 'sync', SINCE));
    const holder = `vodhouse sync on ${hostname()}, pid ${process.pid}, since 2026-03-01 12:00:00 UTC`;
    expect(refusal.message).toContain(holder);
    expect(refusal.hint).toBeTruthy();
    lock.release();
  });

  it('keeps its files for their owner, and replaces the note as a whole', () => {
    const path = livePath();
    const lock = lockOrThrow(path, name, 'sync', SINCE);
    const modeOf = (ending: string) => (statSync(`${path}.${name}.${ending}`).mode & 0o777).toString(8);
    expect([modeOf('lock'), modeOf('holder')]).toEqual(['600', '600']);
    const reader = openSync(`${path}.${name}.holder`, 'r'); // one that has begun to read
    lock.note({ refused: { at: '2026-03-01 12:00:00', error: 'x'.repeat(100_000) } });
    expect(JSON.parse(readFileSync(reader, 'utf8'))).not.toHaveProperty('refused');
    closeSync(reader);
    expect([modeOf('holder'), readHolder(path, name)?.refused?.error.length]).toEqual(['600', 100_000]);
    expect(readdirSync(join(path, '..')).filter((file) => file.endsWith('.new'))).toEqual([]);
    lock.release();
  });

  it('is exclusive across processes, and free as soon as its holder is killed', async () => {
    const path = livePath();
    const child = runModule(taker(path, name));
    await child.waitForOutput(/taken/);
    const refusal = catchRefusal(() => lockOrThrow(path, name, 'sync', SINCE));
    expect(refusal.message).toContain(`vodhouse start on ${hostname()}, pid ${child.process.pid ?? 0}`);
    child.process.kill('SIGKILL');
    await child.ended;
    const lock = lockOrThrow(path, name, 'sync', SINCE + 60_000);
    expect(readHolder(path, name)).toEqual({
      host: hostname(),
      pid: process.pid,
      since: '2026-03-01 12:01:00',
      command: 'sync',
    });
    lock.release();
  }, 60_000);

  it('is the same for every spelling of its path, before the file exists and after', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(folder, 'data'), join(folder, 'link'));
    const [path, spelled] = [join(folder, 'data/live.db'), join(folder, 'link/live.db')];
    for (const makeFile of [() => undefined, () => writeFileSync(path, 'x')]) {
      makeFile();
      const lock = lockOrThrow(path, name, 'sync', SINCE);
      expect(catchRefusal(() => lockOrThrow(spelled, name, 'sync', SINCE)).message).toContain(
        `pid ${process.pid}`,
      );
      lock.release();
    }
    symlinkSync(path, join(folder, 'other.db'));
    const lock = lockOrThrow(join(folder, 'other.db'), name, 'sync', SINCE);
    expect(tryLock(path, name, 'sync', SINCE)).toBeNull();
    lock.release();
  });

  it('is reported as held also where the holder is unknown', () => {
    const path = livePath();
    const lock = lockOrThrow(path, name, 'sync', SINCE);
    writeFileSync(`${path}.${name}.holder`, 'half a li');
    expect(catchRefusal(() => lockOrThrow(path, name, 'sync', SINCE)).message).toMatch(/another process/);
    lock.release();
  });

  it('is held by nobody after a kill, whatever host name its holder had, and by its holder before', async () => {
    const path = livePath();
    const child = runModule(taker(path, name));
    await child.waitForOutput(/taken/);
    expect([isHeld(path, name), readLiveHolder(path, name)?.pid]).toEqual([true, child.process.pid]);
    child.process.kill('SIGKILL');
    await child.ended;
    // of a container
    const holder = { host: '3f2a9c51d0e7', pid: 1, since: '2026-03-01 12:00:00', command: 'start' };
    writeFileSync(`${path}.${name}.holder`, JSON.stringify(holder));
    expect([readHolder(path, name), isHeld(path, name), readLiveHolder(path, name)]).toEqual([
      holder,
      false,
      null,
    ]);
    expect(findOtherHolder(path, name)).toBeNull();
    const lock = lockOrThrow(path, name, 'sync', SINCE);
    expect(readLiveHolder(path, name)?.pid).toBe(process.pid);
    lock.release();
    expect(isHeld(path, name)).toBe(false);
  }, 60_000);

  it('can be taken while another process asks all the time who holds it', async () => {
    const path = livePath();
    lockOrThrow(path, name, 'sync', SINCE).release(); // makes the file
    const asker = runModule(`
      import { isHeld } from '${moduleUrl('database/lock.ts')}';
      console.log('asking');
      for (;;) isHeld('${path}', '${name}');`);
    await asker.waitForOutput(/asking/);
    for (let times = 1; times <= 200; times++) {
      const lock = lockOrThrow(path, name, 'sync', SINCE);
      expect(isHeld(path, name)).toBe(true);
      lock.release();
    }
  }, 60_000);

  it('names its file where it cannot be created, and leaves no partial file', () => {
    const path = livePath();
    mkdirSync(`${path}.${name}.holder`, { recursive: true });
    for (let round = 0; round < 2; round++) {
      const attempt = () => tryLock(path, name, 'sync', SINCE);
      expect(attempt).toThrow(WarehouseError);
      expect(attempt).toThrow(`${path}.${name}.holder`);
    }
  });
});

describe('the two locks', () => {
  it('are independent of each other and of the live file', () => {
    const path = livePath();
    const worker = lockOrThrow(path, 'worker', 'start', SINCE);
    const run = lockOrThrow(path, 'run', 'sync', SINCE);
    expect(catchRefusal(() => lockOrThrow(path, 'worker', 'start', SINCE)).message).toMatch(
      /a worker is running/,
    );
    expect(catchRefusal(() => lockOrThrow(path, 'run', 'sync', SINCE)).message).toMatch(/a run is under way/);
    worker.release();
    expect(tryLock(path, 'run', 'sync', SINCE)).toBeNull();
    run.release();
    expect(existsSync(path)).toBe(false);
  });
});
