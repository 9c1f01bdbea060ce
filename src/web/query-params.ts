/** What a reader may ask of a page in its address; what cannot be read counts as left out. */
import { z } from 'zod';

/** A text; null where it is left out, empty or very long. */
export const textParam = z.string().trim().min(1).max(200).nullable().catch(null).default(null);

/** Which page of a list, from 1 up. */
export const pageParam = z.coerce
  .number()
  .int()
  .min(1)
  .max(2 ** 31)
  .catch(1);
