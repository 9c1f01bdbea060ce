/** Query parameters of the pages. Invalid values count as missing. */
import { z } from 'zod';

/** Null if missing, blank or longer than 200 characters. */
export const textParam = z.string().trim().min(1).max(200).nullable().catch(null).default(null);

/** A page number, from 1. */
export const pageParam = z.coerce
  .number()
  .int()
  .min(1)
  .max(2 ** 31)
  .catch(1);
