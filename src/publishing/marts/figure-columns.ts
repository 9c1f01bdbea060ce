/** The ten figures of a day of storage, as columns. */
import { STORAGE_FIELDS } from '../../lib/service-fields.ts';
import type { Figure } from '../../lib/storage-figures.ts';
import type { Additivity, TableColumn } from '../mart.ts';
import { column, GIB, GIB_UNIT } from './mart-columns.ts';

/** The five kinds of storage of docs/service.md 2.3: their published name, and their columns in the live file. */
const KINDS: readonly { name: string; count: Figure; size: Figure }[] = [
  { name: 'original_video', count: 'mov_org_cnt', size: 'mov_org_size' },
  { name: 'encoded_file', count: 'encoder_cnt', size: 'encoder_size' },
  { name: 'original_ad', count: 'ad_org_cnt', size: 'ad_org_size' },
  { name: 'encoded_ad', count: 'ad_encoder_cnt', size: 'ad_encoder_size' },
  { name: 'image', count: 'image_count', size: 'image_size' },
];

/** The sum of all five sizes under that alias. NULL if one is missing: a sum of the others is no total. */
export const totalSize = (alias: string) => KINDS.map(({ size }) => `${alias}.${size}`).join(' + ');

/** Which figures: of the table `alias`, with a prefix for the names and a suffix for the descriptions. */
export interface FigureSet {
  alias: string;
  prefix?: string;
  suffix?: string;
  additivity?: Additivity;
}

/** The total size and the figures of each kind. */
export function figureColumns(set: FigureSet): TableColumn[] {
  const { alias, prefix = '', suffix = '', additivity = 'semi-additive' } = set;
  const sizeColumns = (name: string, description: string, value: string, source: Figure | null) => [
    column(`${prefix}${name}_bytes`, 'BIGINT', description, value, { unit: 'bytes', source, additivity }),
    column(`${prefix}${name}_gib`, 'REAL', description, `(${value}) / ${GIB}`, {
      ...{ unit: GIB_UNIT, source, additivity },
    }),
  ];
  const describe = (field: Figure) => `${STORAGE_FIELDS[field].description}${suffix}.`;
  const total = `Size of all five kinds together${suffix}; NULL if one of them is unknown.`;
  return [
    ...sizeColumns('total', total, totalSize(alias), null),
    ...KINDS.flatMap(({ name, count, size }) => [
      column(`${prefix}${name}_count`, 'BIGINT', describe(count), `${alias}.${count}`, {
        ...{ unit: STORAGE_FIELDS[count].unit, source: count, additivity },
      }),
      ...sizeColumns(name, describe(size), `${alias}.${size}`, size),
    ]),
  ];
}
