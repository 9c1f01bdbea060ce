import { STORAGE_FIELDS, type Figure } from './service-fields.ts';

/** The figures of a day of storage, in the order of docs/service.md 2.3. */
export const FIGURES = Object.keys(STORAGE_FIELDS) as readonly Figure[];

/** The figures of a row that may hold more. */
export function pickFigures(row: Readonly<Record<Figure, number | null>>): Record<Figure, number | null> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, row[figure]])) as Record<Figure, number | null>;
}

/** Do both rows have the same figures? */
export function hasSameFigures(
  one: Readonly<Record<Figure, number | null>>,
  other: Readonly<Record<Figure, number | null>>,
): boolean {
  return FIGURES.every((figure) => one[figure] === other[figure]);
}
