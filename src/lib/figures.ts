/** The ten figures of a day of storage (service.md 2.3), in the order of the description. */
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
