/**
 * What goes wrong at the simulated account: days without a record, days whose figures change later, refused
 * and failed requests.
 */
import { BlockedError } from '../service/server/api-keys.ts';
import type { Catalogue } from '../service/server/catalogue.ts';
import type { StorageDay } from '../service/storage.ts';

const RESTRICTED = 'too many requests: the use of this account is restricted';

/** Nothing goes wrong until a function is called. */
export function createIncidents() {
  const missing = new Set<string>();
  const factors = new Map<string, number>();
  let failing: readonly number[] = [];
  let restrictedForMs = 0;
  const tellAnew = (day: StorageDay): StorageDay => {
    const factor = factors.get(day.date) ?? 1;
    return { ...day, encoder_size: Math.round((day.encoder_size ?? 0) * factor) };
  };
  return {
    /** The day (`yyyy-mm-dd`) has no record from now on. */
    leaveOut: (date: string): void => void missing.add(date),
    /** From now on the encoded files of the day (`yyyy-mm-dd`) have `factor` times their size. */
    changeDay: (date: string, factor: number): void => void factors.set(date, factor),
    /** The lists of these packages fail with HTTP 500, those of all others answer. */
    failPackages: (packageIds: readonly number[]): void => void (failing = packageIds),
    /** The next request for a list is refused with 429, which names this many milliseconds to wait. */
    restrictOnce: (waitMs: number): void => void (restrictedForMs = waitMs),
    /** From now on all lists answer; what happened to days stays. */
    answerAgain: (): void => {
      failing = [];
      restrictedForMs = 0;
    },
    /** The catalogue with what goes wrong. Throws BlockedError for a refused request. */
    wrap: (catalogue: Catalogue): Catalogue => ({
      ...catalogue,
      videos: (query, signal) => {
        const waitMs = restrictedForMs;
        restrictedForMs = 0;
        if (waitMs > 0) throw new BlockedError(waitMs, RESTRICTED);
        if (failing.includes(query.packageId)) throw new Error(`no list of package ${query.packageId}`);
        return catalogue.videos(query, signal);
      },
      storage: async (range) => {
        const answer = await catalogue.storage(range);
        if (!('days' in answer)) return answer;
        return { ...answer, days: answer.days.filter(({ date }) => !missing.has(date)).map(tellAnew) };
      },
    }),
  };
}
