/**
 * Readers of single values of the service's responses: lenient where `docs/service.md` is silent, but never
 * lossy. Each one takes any JSON value and gives the value to store, or rejects it.
 */
import * as z from 'zod';
import { NOT_DOCUMENTED, type ServiceField } from './service-fields.ts';

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The description of a field; `type` is that of the reader if docs/service.md has another one. */
type FieldDoc = Omit<ServiceField, 'type'>;

/** The JSON schema of a field, as the OpenAPI document has it. Counts, bytes and ids may exceed 32 bits. */
function toMeta(type: ServiceField['type'], { description, unit }: FieldDoc) {
  const unitText = unit === NOT_DOCUMENTED ? 'unit not documented' : unit;
  const text = unitText === undefined ? description : `${description} (${unitText})`;
  return { type, ...(type === 'integer' && { format: 'int64' }), description: text };
}

type Context = z.core.$RefinementCtx;

function reject(context: Context, message: string): never {
  context.addIssue(message);
  return z.NEVER;
}

/** The most characters of a value in a message. */
const PREVIEW_LENGTH = 60;

/** A short form of any value, for messages. */
export function preview(value: unknown): string {
  const isOdd = value === undefined || (typeof value === 'number' && !Number.isFinite(value));
  const text = isOdd ? String(value) : JSON.stringify(value);
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH - '...'.length)}...` : text;
}

/** A number is shown with the digits received: as text, if a double does not hold them. */
function previewNumber(value: unknown): string {
  return typeof value === 'string' && DECIMAL.test(value) ? value : preview(value);
}

function readText(value: unknown, context: Context): string | null {
  if (typeof value === 'string') {
    return value.isWellFormed() ? value : reject(context, 'holds half of a surrogate pair');
  }
  if (value === null || value === undefined) return null;
  return readText(JSON.stringify(value), context);
}

/** True for a number that JSON.parse has not rounded, and that SQLite stores as it is. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function asNumber(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

function readInteger(value: unknown, context: Context): number | null {
  if (value === null || value === undefined) return null;
  const number = asNumber(value);
  if (Number.isSafeInteger(number)) return number as number; // isSafeInteger is false for other types
  return reject(context, `${previewNumber(value)} is not a whole number that can be stored exactly`);
}

function readNumber(value: unknown, context: Context): number | null {
  if (value === null || value === undefined) return null;
  const number = asNumber(value);
  if (typeof number === 'number' && isExact(number)) return number;
  return reject(context, `${previewNumber(value)} is not a number that can be stored exactly`);
}

function createReader<T>(type: ServiceField['type'], read: (value: unknown, context: Context) => T) {
  return (doc: FieldDoc) => z.unknown().optional().transform(read).meta(toMeta(type, doc));
}

/** Text. Absent is null; null and '' stay different; another JSON type is kept as its JSON text. */
export const text = createReader('string', readText);

/**
 * An integer up to 2^53 - 1, also as a double (`4.4482871E7`) or a decimal string (`"16"`). Absent is null.
 */
export const integer = createReader('integer', readInteger);

/** A finite number, also as a decimal string. Absent is null. */
export const number = createReader('number', readNumber);

/** An integer from `minimum` up that must be there. */
export function requiredInteger(minimum: number, doc: FieldDoc) {
  return z
    .unknown()
    .optional()
    .transform((value, context): number => {
      const number = readInteger(value, context);
      if (number !== null && number >= minimum) return number;
      return reject(context, `${previewNumber(value)} is not a whole number from ${minimum} up`);
    })
    .meta({ ...toMeta('integer', doc), minimum });
}

const READERS = { string: text, integer, number };

/** A reader for each field, of its documented type. */
export function readersFor<Fields extends Record<string, ServiceField>>(fields: Fields) {
  const readers = Object.entries(fields).map(([name, field]) => [name, READERS[field.type](field)]);
  return Object.fromEntries(readers) as {
    [Name in keyof Fields]: ReturnType<(typeof READERS)[Fields[Name]['type']]>;
  };
}

/** True for a value that the field's reader returns unchanged. */
export function matchesExactly(field: z.ZodType): (value: unknown) => boolean {
  const { type, minimum } = field.meta() as { type: string; minimum?: number };
  if (type === 'string')
    return (value) => value === null || (typeof value === 'string' && value.isWellFormed());
  if (type === 'number') return (value) => value === null || (typeof value === 'number' && isExact(value));
  if (minimum === undefined) return (value) => value === null || Number.isSafeInteger(value);
  return (value) => Number.isSafeInteger(value) && (value as number) >= minimum;
}

/** The first problem of a rejected record: `duration: "x" is not a whole number …`. */
export function firstIssueText(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'unreadable';
  const path = issue.path.join('.');
  return path ? `${path}: ${issue.message}` : issue.message;
}
