/**
 * One record of a response: its documented fields for their readers, the others as JSON text, and its drift.
 * Pure.
 */
import { listMembers, measureJson, rewriteJson } from '../lib/json-text.ts';
import type { ServiceField } from './service-fields.ts';
import { findDriftKind, type DriftedValue } from './drift.ts';
import { isExact } from './field-types.ts';

/** The fields of a record by their names. */
type Documented = Readonly<Record<string, Pick<ServiceField, 'type' | 'hasForm'>>>;

export interface ReceivedRecord {
  /** Why the record cannot be stored, whatever its fields hold; null if it can. */
  problem: string | null;
  /** The documented fields that are there. A value that JSON.parse would change is its JSON text. */
  fields: Readonly<Record<string, unknown>>;
  /**
   * The other fields, sorted by name, as the text of a JSON object with the digits received; null if there
   * are none.
   */
  others: string | null;
  /** Documented fields first. */
  drift: readonly DriftedValue[];
}

/** How deep lists and objects may be nested: the JSON functions of SQLite refuse deeper ones. */
const MAX_DEPTH = 1_000;

/**
 * Receives a record from its JSON text. `exclude`: fields that are received as null, or not at all where
 * `documented` does not have them.
 */
export function receiveRecord(
  text: string,
  documented: Documented,
  exclude: readonly string[] = [],
): ReceivedRecord {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return refuse('the record is not an object', {});
  const values = parsed as Record<string, unknown>;
  const { depth } = measureJson(text);
  if (depth > MAX_DEPTH) {
    return refuse(`the record is nested ${depth} levels deep: at most ${MAX_DEPTH} can be stored`, values);
  }
  const texts = new Map<string, string>();
  for (const [name, member] of listMembers(text)) {
    if (texts.has(name)) {
      Reflect.deleteProperty(values, name); // it is unknown which of the two is meant
      return refuse(`the record has ${name} twice`, values);
    }
    texts.set(name, member);
  }
  for (const name of exclude) {
    texts.delete(name);
    if (Object.hasOwn(documented, name)) values[name] = null;
  }
  return readMembers(values, texts, documented);
}

function refuse(problem: string, fields: Record<string, unknown>): ReceivedRecord {
  return { problem, fields, others: null, drift: [] };
}

/**
 * Reads the fields. A number that a double does not hold exactly becomes its JSON text, and so does a value
 * of another type in a field of text.
 */
function readMembers(
  values: Readonly<Record<string, unknown>>,
  texts: ReadonlyMap<string, string>,
  documented: Documented,
): ReceivedRecord {
  const fields: Record<string, unknown> = {};
  const drift: DriftedValue[] = [];
  for (const [field, description] of Object.entries(documented)) {
    const value = Object.hasOwn(values, field) ? values[field] : undefined;
    const text = texts.get(field) ?? null;
    const kind = findDriftKind(description, value);
    if (kind) drift.push({ field, kind, text });
    if (text !== null && kind === 'type' && description.type === 'string') {
      fields[field] = rewriteJson(text);
    } else if (text !== null && typeof value === 'number' && !isExact(value)) fields[field] = text;
    else if (value !== undefined) fields[field] = value;
  }
  const others: string[] = [];
  for (const [field, text] of texts) {
    if (Object.hasOwn(documented, field)) continue;
    drift.push({ field, kind: 'new', text });
    others.push(`${JSON.stringify(field)}:${text}`);
  }
  const object = others.length === 0 ? null : rewriteJson(`{${others.join(',')}}`);
  return { problem: null, fields, others: object, drift };
}
