import { DAY_MS } from '../../../src/lib/clock.ts';

/** How old packages become between two walks over them, and what that costs. */

export interface Figures {
  requests: number;
  /** Requests without new data: failed attempts, pages read again. */
  wasted: number;
  /** Packages without a completed walk. */
  unserved: number;
  /** The largest age of any package after its first walk, in days, by the number of failed walks since. */
  oldestDays: Record<FailureClass, number>;
  /** Days from one completed walk of a package to its next one. */
  medianDays: number;
  packages: readonly PackageAge[];
}

/** How often in a row a walk failed before one was completed. */
export type FailureClass = 'neverFailed' | 'failedOnce' | 'failedMore';

export interface PackageAge {
  /** Completed walks. */
  walks: number;
  walkedAt: number;
  failures: number;
  /** The largest age after its first walk, in days. */
  oldestDays: number;
}

export interface Ages {
  /** The package was walked completely just now. */
  walked(id: number): void;
  /** Its walk failed. */
  failed(id: number): void;
  waste(requests: number): void;
  /** Nothing more will be recorded. */
  figures(requests: number): Figures;
}

/** Records the ages of packages 1 to n. */
export function createAges(count: number, clock: { now: number }): Ages {
  const packages = Array.from({ length: count }, createAge);
  const steps: number[] = [];
  const oldestDays: Record<FailureClass, number> = { neverFailed: 0, failedOnce: 0, failedMore: 0 };
  let wasted = 0;

  function ofId(id: number): PackageAge {
    const age = packages[id - 1];
    if (!age) throw new RangeError(`there is no package ${id}`);
    return age;
  }

  function recordAge(age: PackageAge): void {
    if (age.walks === 0) return;
    const days = (clock.now - age.walkedAt) / DAY_MS;
    const failureClass = (['neverFailed', 'failedOnce'] as const)[age.failures] ?? 'failedMore';
    oldestDays[failureClass] = Math.max(oldestDays[failureClass], days);
    age.oldestDays = Math.max(age.oldestDays, days);
  }

  return {
    walked: (id) => {
      const age = ofId(id);
      recordAge(age);
      if (age.walks > 0) steps.push((clock.now - age.walkedAt) / DAY_MS);
      Object.assign(age, { walks: age.walks + 1, walkedAt: clock.now, failures: 0 });
    },
    failed: (id) => {
      ofId(id).failures++;
    },
    waste: (requests) => void (wasted += requests),
    figures: (requests) => {
      packages.forEach(recordAge);
      const unserved = packages.filter(({ walks }) => walks === 0).length;
      return { requests, wasted, unserved, oldestDays, medianDays: getMedian(steps), packages };
    },
  };
}

const createAge = (): PackageAge => ({ walks: 0, walkedAt: 0, failures: 0, oldestDays: 0 });

function getMedian(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
