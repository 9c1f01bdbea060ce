/**
 * How single values of the service's answers are read: leniently where `docs/service.md` is silent, and never
 * with loss. Each reader takes whatever JSON holds and gives the value to store, or refuses it.
 */
import { z } from 'zod';
import type { DocumentedType } from './drift.ts';

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What the OpenAPI document says of a field (docs/service.md 2); the unit as docs/service.md gives it, or `unit not shown`. */
export interface FieldNote {
  description: string;
  unit?: string;
}

type Context = z.core.$RefinementCtx;

function refuse(context: Context, message: string): never {
  context.addIssue(message);
  return z.NEVER;
}

/** A short form of any value, for messages. */
export function preview(value: unknown): string {
  const isOdd = value === undefined || (typeof value === 'number' && !Number.isFinite(value));
  const text = isOdd ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function readText(value: unknown, context: Context): string | null {
  if (typeof value === 'string') {
    return value.isWellFormed() ? value : refuse(context, 'holds half of a surrogate pair');
  }
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' && !isExact(value)) return refuse(context, `${value} is not exact`);
  if (!survivesJson(value)) return refuse(context, `${preview(value)} cannot be stored without loss`);
  return readText(JSON.stringify(value), context);
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function asNumber(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

function readWhole(value: unknown, context: Context): number | null {
  if (value === null || value === undefined) return null;
  const number = asNumber(value);
  if (Number.isSafeInteger(number)) return number as number;
  return refuse(context, `${preview(value)} is not a whole number that can be stored exactly`);
}

function readReal(value: unknown, context: Context): number | null {
  if (value === null || value === undefined) return null;
  const number = asNumber(value);
  if (typeof number === 'number' && isExact(number)) return number;
  return refuse(context, `${preview(value)} is not a number that can be stored exactly`);
}

/** Text. Absent is null; null and '' stay different; another JSON type is kept as its JSON text. */
export function text(note: FieldNote) {
  return z
    .unknown()
    .optional()
    .transform(readText)
    .meta({ type: 'string', ...note });
}

/** A whole number up to 2^53 - 1, also as a double (`4.4482871E7`) or a decimal string (`"16"`). Absent is null. */
export function whole(note: FieldNote) {
  return z
    .unknown()
    .optional()
    .transform(readWhole)
    .meta({ type: 'integer', ...note });
}

/** A finite number, also as a decimal string. Absent is null. */
export function real(note: FieldNote) {
  return z
    .unknown()
    .optional()
    .transform(readReal)
    .meta({ type: 'number', ...note });
}

/** A whole number from `least` up that must be there. */
export function required(least: number, note: FieldNote) {
  return z
    .unknown()
    .optional()
    .transform((value, context): number => {
      const number = readWhole(value, context);
      if (number !== null && number >= least) return number;
      return refuse(context, `${preview(value)} is not a whole number from ${least} up`);
    })
    .meta({ type: 'integer', minimum: least, ...note });
}

/** The type that the fields of a record are documented to have, by their names. */
export function documentedTypes(shape: Readonly<Record<string, z.ZodType>>): Record<string, DocumentedType> {
  const typeOf = (field: z.ZodType) => (field.meta() as { type: DocumentedType }).type;
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, typeOf(field)]));
}

/** What a field takes as it is: a value for which this is true is one that its reader gives back unchanged. */
export function matchesExactly(field: z.ZodType): (value: unknown) => boolean {
  const { type, minimum } = field.meta() as { type: string; minimum?: number };
  if (type === 'string')
    return (value) => value === null || (typeof value === 'string' && value.isWellFormed());
  if (type === 'number') return (value) => value === null || (typeof value === 'number' && isExact(value));
  if (minimum === undefined) return (value) => value === null || Number.isSafeInteger(value);
  return (value) => Number.isSafeInteger(value) && (value as number) >= minimum;
}

/** True where a value of a field that docs/service.md does not know survives being kept as JSON. */
export function survivesJson(value: unknown): boolean {
  if (typeof value === 'number') return isExact(value);
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && survivesJson(inner));
}

/** The first problem of a refused record in words: `duration: "x" is not a whole number …`. */
export function firstIssueText(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'unreadable';
  const path = issue.path.join('.');
  return path ? `${path}: ${issue.message}` : issue.message;
}
