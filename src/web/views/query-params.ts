/** Query parameters of the pages. Invalid values count as missing. */
import * as z from 'zod';

/** Null if missing, blank or longer than 200 characters. */
export const textParam = z.string().trim().min(1).max(200).nullable().catch(null).default(null);

/** An id in a path: digits only, not `1e3` or `0x65`. */
export const idParam = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number)
  .pipe(z.int().min(0));

/** A page number, from 1. */
export const pageParam = z.coerce
  .number()
  .int()
  .min(1)
  .max(2 ** 31)
  .catch(1);
