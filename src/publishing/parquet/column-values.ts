/** What the columns of a row group are while it is filled, and once it is full. */

/** More rows in a group take more memory: 50,000 took three times as much. */
export const ROW_GROUP_ROWS = 10_000;

/** A dictionary with more values costs about as much as it saves. */
export const DICTIONARY_SIZE = ROW_GROUP_ROWS / 4;

export type Row = readonly unknown[];

/** A column of the row group that is being filled. */
export interface ColumnBuffer {
  /** Adds the values at one index of the rows. Throws TypeError for a value that is none of its type. */
  add: (rows: readonly Row[], index: number) => void;
  /** Length of the values so far. */
  getBytes: () => number;
  /** The values, valid until more are added, and begins a new group. */
  take: () => ColumnValues;
}

/** The values of a column of a row group, in the encodings of Parquet but for levels and indexes. */
export interface ColumnValues {
  /** One for each row: 1, or 0 for NULL. */
  levels: Uint8Array;
  nullCount: number;
  /** Null if all values are NULL, or if there are none to tell. */
  bounds: Bounds | null;
  content: DictionaryContent | PlainContent;
}

/** The least and the greatest value of a column, as ParquetWriter takes them. */
export interface Bounds {
  min_value: Bound;
  max_value: Bound;
}

type Bound = number | bigint | boolean | Uint8Array;

export interface DictionaryContent {
  kind: 'dictionary';
  /** The different values, PLAIN. */
  dictionary: Uint8Array;
  size: number;
  /** The place in the dictionary of each value that is not NULL. */
  indexes: Int32Array;
}

export interface PlainContent {
  kind: 'plain';
  /** The values that are not NULL. */
  bytes: Uint8Array;
  /** Where pages end: after how many values, and bytes. */
  pages: PageEnd[];
}

export interface PageEnd {
  values: number;
  bytes: number;
}

/** The levels of the rows so far: which of them are NULL. */
export interface Levels {
  bytes: Uint8Array;
  rows: number;
  nulls: number;
}

export const createLevels = (): Levels => ({ bytes: new Uint8Array(ROW_GROUP_ROWS), rows: 0, nulls: 0 });

/** The levels of a full group, and begins a new one. */
export function takeLevels(levels: Levels): Pick<ColumnValues, 'levels' | 'nullCount'> {
  const taken = { levels: levels.bytes.subarray(0, levels.rows), nullCount: levels.nulls };
  levels.rows = 0;
  levels.nulls = 0;
  return taken;
}

/** Of a value that SQLite keeps although the type of the column is another one. */
export function createTypeError(name: string, type: string, value: unknown): TypeError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : String(value);
  return new TypeError(`the column ${name} has ${shown}, which is no ${type}`);
}
