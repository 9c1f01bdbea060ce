/** Drift: where the records of an answer are not as docs/service.md 2 documents them. Pure. */

import type { FieldType } from '../lib/service-fields.ts';

/** How a field departs: docs/service.md does not know it, it is not there, or its value is of another JSON type. */
export type DriftKind = 'new' | 'missing' | 'type';

/** A field of one record that departs, as it came; `value` is undefined where the field is missing. */
export interface DriftedValue {
  field: string;
  kind: DriftKind;
  value: unknown;
}

/**
 * A field that departs somewhere in an answer: well-formed, at most 100 characters. `sample` is the first such value as
 * JSON, well-formed, at most 200 characters; null where the field is missing.
 */
export interface FieldDrift {
  field: string;
  kind: DriftKind;
  sample: string | null;
}

/** The drift of a record that was read; absent where there is none. */
export interface WithDrift {
  drift?: readonly DriftedValue[];
}

/** Of an answer, and of the new fields of a record, at most so many are told. */
const MAX_FIELDS = 50;
const FIELD_LENGTH = 100;
const SAMPLE_LENGTH = 200;

const NONE: readonly DriftedValue[] = Object.freeze([]);

/**
 * Gives the function that finds the drift of one record, the documented fields first; of new fields, the first 50.
 * What is no record has no fields, and so no drift. Where there is none, the list is always the same one.
 */
export function createDriftFinder(
  documented: Readonly<Record<string, { readonly type: FieldType }>>,
): (record: unknown) => readonly DriftedValue[] {
  const entries = Object.entries(documented);
  return (record) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return NONE;
    const fields = record as Record<string, unknown>;
    const found: DriftedValue[] = [];
    for (const [field, { type }] of entries) {
      const value = fields[field];
      const kind = driftKind(type, value);
      if (kind) found.push({ field, kind, value });
    }
    let more = MAX_FIELDS;
    for (const field of Object.keys(fields)) {
      if (Object.hasOwn(documented, field)) continue;
      if (more-- === 0) break;
      found.push({ field, kind: 'new', value: fields[field] });
    }
    return found.length === 0 ? NONE : found;
  };
}

function driftKind(type: FieldType, value: unknown): DriftKind | null {
  if (value === undefined) return 'missing';
  return isOfType(type, value) ? null : 'type';
}

/** Null is an absent value. `4.4482871E7` is an integer. A number too large for a double (`1e400`) may well have been an integer. */
function isOfType(type: FieldType, value: unknown): boolean {
  if (value === null) return true;
  if (type === 'string' || typeof value !== 'number') return typeof value === type;
  return type === 'number' || Number.isInteger(value) || !Number.isFinite(value);
}

/** What was read, with its drift beside it: the same object, and no `drift` in it, where there is none. */
export function withDrift<T extends object>(read: T, drift: readonly DriftedValue[]): T & WithDrift {
  return drift.length === 0 ? read : { ...read, drift };
}

/** Collects the drift of one answer. */
export interface DriftCollector {
  /** Notes the drift of one record; nothing, where that has none. */
  note(drift: readonly DriftedValue[] | undefined): void;
  /** Each field and kind once, at most 50, the documented fields first. */
  found(): FieldDrift[];
}

/**
 * Creates the collector of one answer. `clean` takes the secrets out of a text: the service may echo a key in a name
 * or a value, and half of one would stay if it came after shortening. A sample is made once a field and kind, so that a
 * page on which every record drifts costs little more than one on which one does.
 */
export function createDriftCollector(clean: (text: string) => string = (text) => text): DriftCollector {
  const seen = { new: new Set<string>(), missing: new Set<string>(), type: new Set<string>() };
  const documented = new Map<string, FieldDrift>();
  const others = new Map<string, FieldDrift>();
  const add = ({ field: name, kind, value }: DriftedValue): void => {
    if (seen[kind].has(name) || seen[kind].size >= MAX_FIELDS) return;
    seen[kind].add(name);
    const field = shorten(clean(name), FIELD_LENGTH);
    const sample = kind === 'missing' ? null : shorten(clean(toJson(value, clean)), SAMPLE_LENGTH);
    const all = kind === 'new' ? others : documented;
    const key = `${kind} ${field}`;
    if (!all.has(key)) all.set(key, { field, kind, sample });
  };
  return {
    note: (drift) => drift?.forEach(add),
    found: () => [...documented.values(), ...others.values()].slice(0, MAX_FIELDS),
  };
}

/**
 * JSON has no number beyond a double, and would say null: such a value is told as the text `Infinity`. Each text is clean
 * before JSON escapes it: a key that came with escapes of its own would not be known again.
 */
function toJson(value: unknown, clean: (text: string) => string): string {
  const tell = (_name: string, inner: unknown): unknown => {
    if (typeof inner === 'string') return clean(inner);
    if (typeof inner === 'number' && !Number.isFinite(inner)) return String(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [clean(name), each]));
  };
  try {
    return JSON.stringify(value, tell);
  } catch {
    return '"nested too deeply to be shown"';
  }
}

function shorten(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}
