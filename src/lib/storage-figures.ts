/** The ten figures of a day of storage (docs/service.md 2.3), in the order of the description. */
export const FIGURES = [
  'mov_org_cnt',
  'mov_org_size',
  'encoder_cnt',
  'encoder_size',
  'ad_org_cnt',
  'ad_org_size',
  'ad_encoder_cnt',
  'ad_encoder_size',
  'image_count',
  'image_size',
] as const;

export type Figure = (typeof FIGURES)[number];

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
