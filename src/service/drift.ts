/** Drift: where the records of a response differ from docs/service.md 2. Pure. */

import type { DriftKind, FieldDrift, FieldType } from '../lib/service-fields.ts';

/** A field of one record that differs; `value` is undefined if the field is missing. */
export interface DriftedValue {
  field: string;
  kind: DriftKind;
  value: unknown;
}

/** `drift` is absent if there is none. */
export interface WithDrift {
  drift?: readonly DriftedValue[];
}

/** New fields of one response that are kept: the service may send any number. */
const MAX_NEW_FIELDS = 50;
const FIELD_LENGTH = 100;
const SAMPLE_LENGTH = 200;

const NO_DRIFT: readonly DriftedValue[] = Object.freeze([]);

/** The returned function finds the drift of one record, documented fields first. A value that is not a record has no drift. */
export function createDriftFinder(
  documented: Readonly<Record<string, { readonly type: FieldType }>>,
): (record: unknown) => readonly DriftedValue[] {
  const entries = Object.entries(documented);
  return (record) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return NO_DRIFT;
    const fields = record as Record<string, unknown>;
    const found: DriftedValue[] = [];
    for (const [field, { type }] of entries) {
      const value = fields[field];
      const kind = driftKind(type, value);
      if (kind) found.push({ field, kind, value });
    }
    for (const field of Object.keys(fields)) {
      if (!Object.hasOwn(documented, field)) found.push({ field, kind: 'new', value: fields[field] });
    }
    return found;
  };
}

function driftKind(type: FieldType, value: unknown): DriftKind | null {
  if (value === undefined) return 'missing';
  return isOfType(type, value) ? null : 'type';
}

/** Null is an absent value. `4.4482871E7` is an integer. A number too large for a double (`1e400`) may have been an integer. */
function isOfType(type: FieldType, value: unknown): boolean {
  if (value === null) return true;
  if (type === 'string' || typeof value !== 'number') return typeof value === type;
  return type === 'number' || Number.isInteger(value) || !Number.isFinite(value);
}

/** Adds the drift to a read record: without drift, returns the same object. */
export function withDrift<T extends object>(read: T, drift: readonly DriftedValue[]): T & WithDrift {
  return drift.length === 0 ? read : { ...read, drift };
}

/**
 * Creates the collector of one response. `redact` takes secrets out of a text before it is shortened: the service may echo a
 * key in a name or a value, and a truncated key would not be found. Only one sample per field and kind is formatted, so drift
 * in every record costs little more than drift in one.
 */
export function createDriftCollector(redact: (text: string) => string = (text) => text) {
  const seen = new Set<string>();
  const found = new Map<string, FieldDrift>();
  let newFields = 0;
  const add = ({ field: name, kind, value }: DriftedValue): void => {
    const key = `${kind} ${name}`;
    if (seen.has(key) || (kind === 'new' && newFields === MAX_NEW_FIELDS)) return;
    seen.add(key);
    if (kind === 'new') newFields++;
    const field = shorten(redact(name), FIELD_LENGTH);
    const sample = kind === 'missing' ? null : shorten(redact(toJson(value, redact)), SAMPLE_LENGTH);
    if (!found.has(`${kind} ${field}`)) found.set(`${kind} ${field}`, { field, kind, sample });
  };
  return {
    /** Adds the drift of one record, if it has any. */
    add: (drift: readonly DriftedValue[] | undefined): void => drift?.forEach(add),
    /** Each field and kind once; of new fields the first 50. */
    list: (): FieldDrift[] => [...found.values()],
  };
}

/**
 * A number beyond a double becomes the text `Infinity`: JSON would say null. Each text is redacted before JSON escapes it: an
 * escaped key would not be found.
 */
function toJson(value: unknown, redact: (text: string) => string): string {
  const replacer = (_name: string, inner: unknown): unknown => {
    if (typeof inner === 'string') return redact(inner);
    if (typeof inner === 'number' && !Number.isFinite(inner)) return String(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [redact(name), each]));
  };
  return JSON.stringify(value, replacer);
}

function shorten(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}
