/** The columns of the table of videos that come from the service. */
import { VIDEO_FIELDS, type VideoField } from '../lib/service-fields.ts';
import type { video } from './schema/videos.ts';

/** A video as received: the 24 fields of docs/service.md 2.1; `extra` is absent if there is none. */
export type VideoRow = Pick<typeof video.$inferSelect, VideoField> & { extra?: string };

/** The names of the columns that come from the service, in its order. */
export const receivedNames = Object.keys(VIDEO_FIELDS) as VideoField[];
