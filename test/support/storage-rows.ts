/** Storage days with made-up figures. */
import { FIGURES } from '../../src/lib/figures.ts';
import type { StorageDay } from '../../src/service/storage.ts';

/** A day whose ten figures count up from `first`. */
export function dayRow(date: string, first: number): StorageDay {
  const figures = Object.fromEntries(FIGURES.map((figure, index) => [figure, first + index]));
  return { ...(figures as Omit<StorageDay, 'date'>), date };
}
