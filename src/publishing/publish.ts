/** One publication: build, check, swap. Runs in a process of its own (child.ts): SQLite does not give way meanwhile. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { addDays } from '../lib/days.ts';
import { ConfigError } from '../lib/errors.ts';
import { toWarehouseError, isDamage } from '../database/integrity.ts';
import { lockOrThrow } from '../database/lock.ts';
import { createHelperProcess, type HelperProcess } from './helper-process.ts';
import { build } from './build.ts';
import { checkTable, type Checked, type Expected } from './check.ts';
import { publishedFact } from './fingerprint.ts';
import { createMarts, type Marts } from './marts/marts.ts';
import type { PublishRequest, Publication } from './publish-request.ts';
import { draftPath } from '../database/draft-files.ts';
import { flush, keepCopy, assertOurFile, removeCopies, swapIn, sweepLeftOvers } from './atomic-replace.ts';

/**
 * Builds the published file anew and puts it in the place of the old one. Throws ConfigError where the file is
 * something else, LockedError where another process publishes, WarehouseError where the live file cannot be read, the
 * new one not be written, or it does not hold what it should: then the old one stands.
 */
export async function publish(order: PublishRequest): Promise<Publication> {
  const begun = performance.now();
  const marts = createMarts(order);
  const lock = lockOrThrow(order.live, 'publish', order.command, order.now);
  try {
    makeRoom(order);
    const draft = draftPath(order.file);
    const beside = createHelperProcess();
    try {
      const expected = await buildOrSay(draft, marts, order, beside);
      // the disk writes while the file is checked
      const [checked] = await Promise.all([checkAll(draft, marts, expected, beside), flush(draft)]);
      await swapIn(draft, order.file);
      return {
        file: order.file,
        bytes: statSync(order.file).size,
        durationMs: performance.now() - begun,
        rows: Object.fromEntries(checked.map(({ name, rows }) => [name, rows])),
        copy: copyOf(order),
      };
    } finally {
      beside.close();
      sweepLeftOvers(order.file);
    }
  } catch (error) {
    throw isSystemError(error) ? toWarehouseError(error, order.file) : error;
  } finally {
    lock.release();
  }
}

/** Throws ConfigError where the file that stands there was made from another warehouse: it may hold history that this has not. */
function refuseOther(live: string, file: string): void {
  const since = publishedFact(file, 'warehouse_since');
  const ours = since === null ? null : warehouseSince(live);
  if (ours === null || ours === since) return;
  throw new ConfigError(
    `publish.file: ${file} was made from another warehouse, begun ${since} UTC; it stays as it is`,
    {
      hint: 'it may hold history that this one has not: move it away, or name another file',
    },
  );
}

/** When the warehouse was created; null where that cannot be read: building from it then fails with the reason. */
function warehouseSince(live: string): string | null {
  try {
    const db = new Database(live, { readonly: true, fileMustExist: true });
    try {
      return db.prepare('select created_at from warehouse_state').pluck().get() as string | null;
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

/** The draft is new: where damage is found while it is built, it is that of the live file. */
async function buildOrSay(...parameters: Parameters<typeof build>): Promise<Expected> {
  try {
    return await build(...parameters);
  } catch (error) {
    throw isDamage(error) ? toWarehouseError(error, parameters[2].live) : error;
  }
}

/** The two large tables are checked side by side. */
async function checkAll(
  draft: string,
  marts: Marts,
  expected: Expected,
  beside: HelperProcess,
): Promise<Checked[]> {
  const tables = marts.all.filter((mart) => mart.kind === 'table');
  const history = beside.check(draft, marts.videoHistory, expected);
  history.catch(() => undefined); // told where it is awaited
  const others = tables.filter((table) => table !== marts.videoHistory);
  const checked = others.map((table) => checkTable(draft, table, expected));
  return [...checked, await history];
}

function makeRoom({ live, file }: PublishRequest): void {
  mkdirSync(dirname(file), { recursive: true });
  assertOurFile(file);
  refuseOther(live, file);
  sweepLeftOvers(file);
}

function copyOf({ file, keepDays, pruneCopies, today }: PublishRequest): string | null {
  if (keepDays === 0) return null;
  const copy = keepCopy(file, today);
  if (pruneCopies) removeCopies(file, addDays(today, -keepDays));
  return copy;
}

/** What the file system or SQLite said with a code. */
function isSystemError(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string';
}
