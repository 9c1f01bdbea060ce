/** The figures of a day of storage, as columns. */
import { STORAGE_FIELDS, STORAGE_KINDS, type Figure } from '../../lib/service-fields.ts';
import type { Additivity, TableColumn } from '../mart.ts';
import { column, GIB, GIB_UNIT } from './mart-columns.ts';

/** The sum of the sizes of all kinds under that alias. NULL if one is missing: a sum of the others is no total. */
export const totalSize = (alias: string) => STORAGE_KINDS.map(({ size }) => `${alias}.${size}`).join(' + ');

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
  const total = `Size of all kinds together${suffix}; NULL if one of them is unknown.`;
  return [
    ...sizeColumns('total', total, totalSize(alias), null),
    ...STORAGE_KINDS.flatMap(({ name, count, size }) => [
      column(`${prefix}${name}_count`, 'BIGINT', describe(count), `${alias}.${count}`, {
        ...{ unit: STORAGE_FIELDS[count].unit, source: count, additivity },
      }),
      ...sizeColumns(name, describe(size), `${alias}.${size}`, size),
    ]),
  ];
}
