/** A column of texts: a dictionary while few are different, else each text, PLAIN. */
import {
  createLevels,
  createTypeError,
  DICTIONARY_SIZE,
  ROW_GROUP_ROWS,
  takeLevels,
  type ColumnBuffer,
  type ColumnValues,
} from './column-values.ts';
import { createPlainTexts } from './plain-texts.ts';

export function createTextColumn(name: string): ColumnBuffer {
  const levels = createLevels();
  const indexes = new Int32Array(ROW_GROUP_ROWS);
  const texts = createPlainTexts(); // those of the dictionary, or all
  /** Null: there is no dictionary any more. */
  let places: Map<string, number> | null = new Map();
  let count = 0;

  const addText = (text: string): void => {
    if (places !== null) {
      let place = places.get(text);
      if (place === undefined && places.size < DICTIONARY_SIZE) {
        place = places.size;
        places.set(text, place);
        texts.append(text);
      }
      if (place !== undefined) {
        indexes[count++] = place;
        return;
      }
      texts.expand(indexes.subarray(0, count));
      places = null;
    }
    texts.append(text);
    count++;
  };

  const takeContent = (): ColumnValues['content'] => {
    if (places === null || count === 0 || places.size > count / 2) {
      if (places !== null && places.size < count) texts.expand(indexes.subarray(0, count));
      return { kind: 'plain', bytes: texts.getBytes(), pages: texts.findPages() };
    }
    return {
      ...{ kind: 'dictionary', dictionary: texts.getBytes(), size: places.size },
      indexes: indexes.subarray(0, count),
    };
  };

  return {
    add: (rows, index) => {
      const { bytes } = levels;
      for (const row of rows) {
        const value = row[index];
        const isNull = value === null;
        bytes[levels.rows++] = isNull ? 0 : 1;
        if (isNull) levels.nulls++;
        else if (typeof value === 'string') addText(value);
        else throw createTypeError(name, 'text', value);
      }
    },
    getBytes: () => texts.getBytes().length,
    take: () => {
      const bounds = count === 0 ? null : texts.findBounds();
      const content = takeContent();
      texts.clear();
      places = new Map();
      count = 0;
      return { ...takeLevels(levels), bounds, content };
    },
  };
}
