/** The live file, open: its connections, and the request budgets that live in it. */
import { createBudget, createPlaces, type Limits, type OnWait } from '../budget/budget.ts';
import { openDatabase, openLedgerConnection, watchIdentity, type Db } from '../database/connection.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountBudget } from '../budget/request-budget.ts';

export interface Warehouse {
  path: string;
  /** Each of its transactions is on the disk when it ends. */
  db: Db;
  /**
   * A connection whose transactions do not wait for the disk: a power failure may undo the last of them. It
   * is used only for what may be lost: the ledger of requests, and how far a walk over known pages is.
   */
  ledger: Db;
  /** The request budget of an account. `onWait` is called when a request has to wait. */
  createBudget: (account: string, limits: Limits, onWait?: OnWait) => AccountBudget;
  /** Throws WarehouseError if another file, or none, is at the path now, or at that of its -wal. */
  assertNotReplaced: () => void;
  close: () => void;
}

/** Opens (or creates) the live file at `path`. Throws WarehouseError if it cannot be used. */
export function openWarehouse(path: string, clock: Clock): Warehouse {
  const db = openDatabase(path, clock.now());
  const ledger = openLedgerConnection(path);
  const takePlace = createPlaces();
  return {
    path,
    db,
    ledger,
    createBudget: (account, limits, onWait) =>
      createBudget(ledger, account, limits, clock, { takePlace, onWait }),
    assertNotReplaced: watchIdentity(path),
    close: () => {
      ledger.$client.close();
      db.$client.close();
    },
  };
}
