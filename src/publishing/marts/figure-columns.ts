/** The ten figures of a day of storage, as columns. */
import type { Additivity, MadeColumn } from '../mart.ts';
import { GIB } from './mart-columns.ts';

/** The five kinds of storage of docs/service.md 2.3: their columns in the live file, and what they are called here. */
const KINDS = [
  { count: 'mov_org_cnt', size: 'mov_org_size', name: 'original_video', words: 'original videos' },
  { count: 'encoder_cnt', size: 'encoder_size', name: 'encoded_file', words: 'encoded files' },
  { count: 'ad_org_cnt', size: 'ad_org_size', name: 'original_ad', words: 'original advertisement files' },
  {
    count: 'ad_encoder_cnt',
    size: 'ad_encoder_size',
    name: 'encoded_ad',
    words: 'encoded advertisement files',
  },
  { count: 'image_count', size: 'image_size', name: 'image', words: 'original images' },
] as const;

/** The ten columns of the live file. */
export const FIGURES: readonly string[] = KINDS.flatMap(({ count, size }) => [count, size]);

/** The size of all five kinds under that alias. NULL where the service left one of them out: a sum of the others is no total. */
export const totalOf = (alias: string) => KINDS.map(({ size }) => `${alias}.${size}`).join(' + ');

/** Whose figures these are: in words after a description, and before a name. */
export interface FigureSet {
  /** Of the table of the live file, or of one with the same columns. */
  alias: string;
  prefix?: string;
  suffix?: string;
  /** Of levels: summed over accounts, never over days. */
  additivity?: Additivity;
}

/** The total and the figures of each kind. */
export function figures(set: FigureSet): MadeColumn[] {
  return [...totals(set), ...KINDS.flatMap((kind) => figuresOf(kind, set))];
}

function totals({ alias, prefix = '', suffix = '', additivity = 'semi-additive' }: FigureSet): MadeColumn[] {
  const total = totalOf(alias);
  const description = `Size of all five kinds together${suffix}; NULL where one is not known.`;
  return [
    {
      ...{ name: `${prefix}total_bytes`, type: 'BIGINT', unit: 'bytes', description },
      ...{ source: null, additivity, value: total },
    },
    {
      ...{ name: `${prefix}total_gib`, type: 'REAL', unit: 'GiB (2^30 bytes)', description },
      ...{ source: null, additivity, value: `(${total}) / ${GIB}` },
    },
  ];
}

function figuresOf(
  { count, size, name, words }: (typeof KINDS)[number],
  { alias, prefix = '', suffix = '', additivity = 'semi-additive' }: FigureSet,
): MadeColumn[] {
  const sizeOf = { description: `Size of ${words}${suffix}.`, source: size, additivity };
  return [
    {
      ...{ name: `${prefix}${name}_count`, type: 'BIGINT', unit: 'pieces' },
      ...{
        description: `Number of ${words}${suffix}.`,
        source: count,
        additivity,
        value: `${alias}.${count}`,
      },
    },
    {
      ...{ name: `${prefix}${name}_bytes`, type: 'BIGINT', unit: 'bytes' },
      ...{ ...sizeOf, value: `${alias}.${size}` },
    },
    {
      ...{ name: `${prefix}${name}_gib`, type: 'REAL', unit: 'GiB (2^30 bytes)' },
      ...{ ...sizeOf, value: `${alias}.${size} / ${GIB}` },
    },
  ];
}
