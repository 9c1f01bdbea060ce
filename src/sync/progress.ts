import type { PackageKey } from '../lib/package-key.ts';

export interface Progress {
  /** `pages` is how many the walk will read, as far as is known; `done` how many of them an earlier walk has read. */
  walkBegun(walk: PackageKey & { pages: number; done: number }): void;
  /** One page is stored. `page` counts down to 1. */
  pageStored(page: PackageKey & { page: number; records: number }): void;
  walkEnded(walk: PackageKey): void;
}

/** Nobody watches. */
export const silentProgress: Progress = {
  walkBegun: () => undefined,
  pageStored: () => undefined,
  walkEnded: () => undefined,
};
