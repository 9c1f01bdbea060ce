/** The trigger that keeps the former states of videos, made from the schema. */
import { getTableColumns } from 'drizzle-orm';
import { receivedNames, video } from './schema/videos.ts';
import type { Database } from './sqlite.ts';

/**
 * The fields that an edit may change, under the service's names; `extra` are those that docs/service.md 2.1
 * does not have.
 */
export const EDITABLE_FIELDS: readonly string[] = [...receivedNames.filter((name) => name !== 'id'), 'extra'];

/**
 * The columns that describe the change that led to a state. The trigger writes them, except for the run of a
 * video that is new.
 */
const OF_CHANGE = ['version_number', 'change', 'changed_fields', 'run_id'];

/** The run that is under way; NULL outside of runs. */
export const CURRENT_RUN = `(
  select run_id from run where run_id = (select max(run_id) from run) and status = 'running')`;

/** The names of the fields in which two rows differ, each followed by a space; NULL if none does. */
export function differingFields(one: string, other: string): string {
  const parts = EDITABLE_FIELDS.map((name) => `iif(${one}.${name} is not ${other}.${name}, '${name} ', '')`);
  return `nullif(${parts.join('\n    || ')}, '')`;
}

/**
 * Creates the trigger that stores the former state of a row whenever a statement changes it. A state holds
 * from the moment at which it was stored (`changed_at`). A second change under the same `change_seq` fails,
 * because a version with its key exists already. The change `retired` gets no run: packages are retired
 * outside of runs, so a run that is `running` then was killed.
 */
export function createVersionTrigger(client: Database): void {
  const names = Object.keys(getTableColumns(video));
  const watched = names.filter((name) => !OF_CHANGE.includes(name));
  client.exec(`drop trigger if exists video_version_kept;
create trigger video_version_kept after update of ${watched.join(', ')} on video
begin
insert into video_version (${names.join(', ')}, valid_from, valid_to)
values (${names.map((name) => `old.${name}`).join(', ')}, old.changed_at, new.changed_at);
update video set version_number = old.version_number + 1,
  change = case
    when new.removed_at is not null then iif(new.change = 'retired', 'retired', 'removed')
    when old.removed_at is not null then iif(old.change = 'retired', 'returned', 'restored')
    else 'edited' end,
  changed_fields = ${differingFields('old', 'new')},
  run_id = iif(new.removed_at is not null and new.change = 'retired', null, ${CURRENT_RUN})
where rowid = new.rowid;
end`);
}
