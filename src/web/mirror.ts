/** A Catalogue over the warehouse: serves its packages and storage days through the API of the service. */
import type { AccountConfig } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { findNewestReading, readServedDays } from '../database/storage-days.ts';
import { readSnapshot } from '../database/transaction.ts';
import type { Calendar } from '../lib/calendar.ts';
import { fromTimestamp, type Clock } from '../lib/clock.ts';
import { packageNotFound, type ApiError, type Catalogue } from '../service/server/catalogue.ts';
import { pickFigures } from '../service/service-fields.ts';
import type { VideoLists } from '../queries/video-list/video-list.ts';

interface MirrorParts {
  /** The live file. */
  db: Db;
  lists: VideoLists;
  calendar: Calendar;
  clock: Clock;
  /** The accounts that are served: one, or all if the base address names none. */
  accounts: readonly AccountConfig[];
}

/**
 * The catalogue of some accounts. A request that fits several of them is rejected with the paths that work.
 */
export function createMirror({ db, lists, calendar, clock, accounts }: MirrorParts): Catalogue {
  return {
    videos: async (query, signal) => {
      const { packageId } = query;
      const found = accounts.filter(({ packages }) => packages.some(({ id }) => id === packageId));
      const [account] = found;
      if (!account) return packageNotFound(packageId);
      if (found.length > 1) return createAmbiguousError(`package ${packageId}`, found);
      const key = { account: account.name, packageId };
      const page = await lists.page(key, query, signal);
      if (page) return { totalcount: page.size, records: page.records, readAt: page.walkedAt };
      const reason = lists.isRetired(key)
        ? 'left the config, and has not been read since'
        : 'has not been read completely since it came into the config';
      const message = `package ${packageId} of account ${account.name} ${reason}`;
      return { errorCode: 'PackageNotReady', message };
    },
    storage: ({ from, to, direction }) => {
      const found = accounts.filter(({ storage }) => storage !== null);
      const [account] = found;
      if (!account) {
        const names = accounts.map(({ name }) => name).join(', ');
        return { errorCode: 'PackageNotFound', message: `account ${names} has no storage in the config` };
      }
      if (found.length > 1) return createAmbiguousError('storage', found);
      const today = calendar.dayAt(clock.now());
      return readSnapshot(db, () => {
        const reading = findNewestReading(db, { account: account.name });
        const rows = readServedDays(db, account.name, { from, to }, today);
        const days = rows.map((row) => ({ ...pickFigures(row), date: row.date }));
        if (direction === 'desc') days.reverse();
        return reading ? { days, readAt: fromTimestamp(reading.observed_at) } : { days };
      });
    },
  };
}

function createAmbiguousError(what: string, accounts: readonly AccountConfig[]): ApiError {
  const names = accounts.map(({ name }) => name);
  const hint = `put /accounts/NAME before the path, as in /accounts/${names[0] ?? ''}`;
  return { errorCode: 'PackageAmbiguous', message: `accounts ${names.join(', ')} have ${what}; ${hint}` };
}
