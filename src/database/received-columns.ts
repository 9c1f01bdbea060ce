/** The columns of the table of videos that come from the service. */
import { getTableColumns } from 'drizzle-orm';
import { video } from './schema/videos.ts';

type VideoColumns = typeof video.$inferSelect;

type OwnColumns = 'account' | 'package_id' | 'first_seen_at' | 'changed_at' | 'removed_at' | 'change_seq';

/** A video as received: the 24 fields of docs/service.md 2.1; `extra` is absent where there is none. */
export type VideoRow = Omit<VideoColumns, OwnColumns | 'extra'> & { extra?: string };

const ownColumns = ['account', 'package_id', 'extra', 'first_seen_at', 'changed_at', 'change_seq'];

/** The names of the columns that come from the service, in its order. */
export const receivedNames = Object.keys(getTableColumns(video)).filter(
  (name) => !ownColumns.includes(name) && name !== 'removed_at',
) as (keyof VideoRow)[];
