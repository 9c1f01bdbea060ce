/** Values of a config as it is written, valid or not. */

/** The value of a key; undefined where there is none, or no mapping. */
export function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** The list of a key; empty where there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
}

/** The text of a key; undefined where there is none. */
export function textAt(value: unknown, key: string): string | undefined {
  const text = at(value, key);
  return typeof text === 'string' ? text : undefined;
}

/** The entries that repeat the value of an earlier one, with the index of that one. */
export function findRepeated(list: readonly unknown[], getValue: (entry: unknown) => unknown) {
  const firsts = new Map<unknown, number>();
  return list.flatMap((entry, index) => {
    const value = getValue(entry);
    const first = firsts.get(value);
    if (value === undefined || value === null) return [];
    if (first === undefined) firsts.set(value, index);
    return first === undefined ? [] : [{ index, first }];
  });
}
