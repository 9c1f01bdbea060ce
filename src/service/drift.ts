/** Drift: where the records of a response differ from docs/service.md 2. Pure. */
import { rewriteJson } from '../lib/json-text.ts';
import type { DriftKind, FieldDrift, FieldType, ServiceField } from './service-fields.ts';

/** A field of one record that differs. */
export interface DriftedValue {
  field: string;
  kind: DriftKind;
  /** The value as its JSON text; null if the field is missing. */
  text: string | null;
}

/** How many new fields of one response are kept, because the service may send any number. */
const MAX_NEW_FIELDS = 50;
/** The most characters that are kept of the name of a field, and of a sample of its values. */
const FIELD_LENGTH = 100;
const SAMPLE_LENGTH = 200;

/** How the value of a documented field differs from its description; null if it does not. */
export function findDriftKind(
  { type, hasForm }: Pick<ServiceField, 'type' | 'hasForm'>,
  value: unknown,
): DriftKind | null {
  if (value === undefined) return 'missing';
  if (!isOfType(type, value)) return 'type';
  return hasForm?.(value) === false ? 'form' : null;
}

/**
 * Does a value have the documented type? Null does, as an absent value, and so does an integer that is
 * written as `4.4482871E7`. A number too large for a double (`1e400`) may have been an integer.
 */
function isOfType(type: FieldType, value: unknown): boolean {
  if (value === null) return true;
  if (type === 'string' || typeof value !== 'number') return typeof value === type;
  return type === 'number' || Number.isInteger(value) || !Number.isFinite(value);
}

/**
 * Creates the collector of one response. `redact` takes secrets out of a text before it is shortened: the
 * service may echo a key in a name or a value, and a truncated key would not be found. Only one sample per
 * field and kind is formatted, so drift in every record costs little more than drift in one.
 */
export function createDriftCollector(redact: (text: string) => string = (text) => text) {
  const seen = new Set<string>();
  const found = new Map<string, FieldDrift>();
  let newFields = 0;
  const add = ({ field: name, kind, text }: DriftedValue): void => {
    const key = `${kind} ${name}`;
    if (seen.has(key) || (kind === 'new' && newFields === MAX_NEW_FIELDS)) return;
    seen.add(key);
    if (kind === 'new') newFields++;
    const field = shorten(redact(name), FIELD_LENGTH);
    // each text is redacted before JSON escapes it, because a key with escapes would not be found
    const written = text === null ? null : rewriteJson(text, redact);
    const sample = written === null ? null : shorten(redact(written), SAMPLE_LENGTH);
    if (!found.has(`${kind} ${field}`)) found.set(`${kind} ${field}`, { field, kind, sample });
  };
  return {
    /** Adds the drift of one record. */
    add: (drift: readonly DriftedValue[]): void => drift.forEach(add),
    /** Each field and kind once; of new fields the first 50. */
    list: (): FieldDrift[] => [...found.values()],
  };
}

function shorten(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}
