/** docs/contributing/live-file.md: the tables of the live file. `npm run docs` writes it. */
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as incidents from '../../src/database/schema/incidents.ts';
import * as runs from '../../src/database/schema/runs.ts';
import * as storage from '../../src/database/schema/storage.ts';
import * as targets from '../../src/database/schema/targets.ts';
import * as videos from '../../src/database/schema/videos.ts';
import { STORAGE_FIELDS, VIDEO_FIELDS } from '../../src/lib/service-fields.ts';
import { code, codes, paragraphs } from './markdown.ts';

interface LiveTable {
  name: string;
  key: readonly string[];
  /** Without the key and without the fields of the service. */
  columns: readonly string[];
  text: string;
}

const OF_SERVICE = new Set([...Object.keys(VIDEO_FIELDS), ...Object.keys(STORAGE_FIELDS)]);

/** What one row is, and a note on each column whose name does not say enough: the compiler checks the names. */
function describe<T extends SQLiteTable>(
  table: T,
  row: string,
  notes: Partial<Record<Extract<keyof T['$inferSelect'], string>, string>> = {},
): LiveTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const key = [
    ...columns.filter(({ primary }) => primary),
    ...primaryKeys.flatMap((primary) => primary.columns),
  ].map((column) => column.name);
  const lines = Object.entries(notes).map(([column, note]) => `- ${code(column)}: ${String(note)}`);
  return {
    name,
    key,
    columns: columns
      .map((column) => column.name)
      .filter((column) => !key.includes(column) && !OF_SERVICE.has(column)),
    text: [row, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n'),
  };
}

/** The tables that people ask for come first. */
export const LIVE_TABLES: readonly LiveTable[] = [
  describe(videos.packageTable, 'One package, also one that left the config.', {
    totalcount: 'how many videos the service last reported.',
    walked_at: 'end of the last full walk that read every page.',
    compared_at: 'end of the last walk, full or quick.',
    order: '`untrusted`: the list is not sorted by id. Only a response with the whole list proves removals.',
    first_walked_at: 'end of the first one: videos that were seen before it are `imported`.',
    retired_at: 'when it left the config; NULL while the config has it.',
    last_count: '`live_count` when it left; NULL while the config has it.',
    live_count: 'rows of `video` that are present.',
    last_turn_walk_id: 'the full walk by which the package last had its turn; the lowest is served next.',
    failed_walks: 'full walks in a row that failed.',
    missing_records: 'records that the last quick walk missed and could not locate.',
  }),
  describe(videos.video, 'One video of one package, in its present state, also one that is gone.', {
    extra: 'JSON of the fields that the service sent and does not document.',
    changed_at: 'when the present state was stored, and began; it rises with `change_seq`.',
    removed_at: 'the same, if the video was removed or retired; NULL while it is present.',
    first_missing_at: 'when its removal was first proved; before `removed_at` if it was held back.',
    change_seq: 'number of the change, increasing over the whole file. Targets load by it.',
    change:
      'what led to the state. `imported`: first seen before the first full walk of the package ended; `added`: after it. `edited`. `removed`, `restored`: no longer in the list, and back. `retired`, `returned`: its package left the config; listed again after that came back.',
    changed_fields: 'fields that an edit changed, each followed by a space.',
  }),
  describe(videos.videoVersion, 'One former state of a video. A trigger writes it.', {
    valid_to: 'its end, exclusive: `changed_at` of the next state.',
  }),
  describe(videos.packageDay, 'How many videos a package had at the end of a day (UTC).'),
  describe(videos.removalCandidate, 'One proved removal that has not taken effect yet.', {
    proof: '`order`: the list is sorted and the video is not in its place. `whole`: one response had all.',
    held_by: 'the walk that held it back.',
    held_reason:
      '`many`: over `walk.removal_brake`. `all`: no video would be left. `order`: the order is not trusted yet.',
  }),
  describe(videos.quarantine, 'One record that cannot be stored without loss.', {
    raw: 'the record as received.',
    resolved_at: 'when it was stored, changed or gone.',
  }),
  describe(videos.drift, 'One way in which a field differs from the description of the service.', {
    absent_walks: 'full walks without it since it was last seen; three resolve it.',
    acknowledged_at: 'when `vodhouse acknowledge` accepted it.',
  }),
  describe(
    videos.pageHash,
    'One page whose records are not parsed while its bytes are unchanged. It is deleted when a row changes that it describes.',
    {
      hash: 'SHA-256 of the bytes of the records and of the known fields.',
      proof_low: 'with `proof_high`: the ids between which the page showed every live video.',
    },
  ),
  describe(storage.storageDay, 'One day of an account, with the figures of the service.', {
    state: '`booked`: triggers reject any change. `live`: the last reading of a day.',
  }),
  describe(storage.storageReading, 'One reading of a day that was not over.'),
  describe(
    storage.storageDiscrepancy,
    'One figure of a booked day that the service now reports differently.',
    {
      resolved_at: 'when the service returned the booked figure again, or a person accepted the new one.',
    },
  ),
  describe(storage.storageCorrection, 'Figures of a booked day that a person accepted. Append-only.'),
  describe(storage.storageGap, 'One past day that was requested and is not booked.', {
    requested_days: 'separate days on which it was requested.',
    given_up_at: 'after `give_up_days` of them; from then on it is requested once a month.',
    reason:
      '`missing`: not returned. `incomplete`: a figure is missing. `unconfirmed`: waits for a second reading.',
  }),
  describe(storage.storageUnconfirmed, 'Implausible figures of a past day, until they arrive a second time.'),
  describe(runs.run, 'One pass over everything due.', {
    trigger: '`catch_up`: a missed tick, or a parked run that resumes.',
    scope: 'the part that a person asked for; NULL for everything.',
    origin_started_at: 'start of the run that this one resumes.',
    clock_offset_ms: 'how far the clock of the service is ahead, above 10 minutes.',
  }),
  describe(runs.runFailure, 'What a run could not do: a package, the storage, or a whole account.'),
  describe(runs.walk, 'One walk, with its checkpoint. A quick walk that found nothing leaves no row.', {
    recognised: 'pages with unchanged bytes.',
    unsettled: 'known ids between two pages, which neither page proves: they stay live.',
    held_back: 'removals of the package that were held back at its end.',
    resumed: '1: it continues the checkpoint of an earlier walk.',
  }),
  describe(runs.request, 'One request: the ledger of the budget. It is written before the request is sent.', {
    purpose: 'storage, page, probe (the end of a list), boundary, quick or check.',
    spent_until_ms:
      'until when the request may have reached the service; the windows of the budget count from here.',
  }),
  describe(runs.pause, 'One account that the service restricted.', {
    full_rate_at: 'the rate rises from `until` to this time.',
  }),
  describe(runs.savedRequests, 'One day (UTC) of an account: the requests that quick walks saved.'),
  describe(runs.backup, 'One backup of the worker; `vodhouse backup` writes no row.'),
  describe(targets.targetLoad, 'What became of an account in a target.', {
    change_seq: 'the last change that the target has.',
    differences: 'JSON: the first values that differed at the last comparison; NULL: never compared.',
  }),
  describe(targets.publication, 'One publication. A target uses it to recognise an older copy of the file.'),
  describe(targets.forgotten, 'One `vodhouse forget`: targets load the account again completely.'),
  describe(
    incidents.incident,
    'One problem that people were told of, until `retention.runs_days` after its end.',
    {
      kind: 'of the catalogue of problems.',
      part: '`storage`, or the name of a target.',
      details: 'JSON, as in [alerts.md](../alerts.md).',
      notified_at: 'when the webhook last accepted a message about it, before its end.',
      closed_notified_at: 'when the webhook accepted the message about its end.',
      next_at: 'from when on the next message may be sent; a process that sends it sets it a minute ahead.',
    },
  ),
  describe(runs.warehouseState, 'The only row: the state of the file.', {
    change_seq: 'the last one that a video got.',
    restored_at: 'when a backup last replaced the file.',
    timezone: 'of the calendar of the booked days; another one is rejected.',
    warehouse_id: 'a UUID. Copies share it; `restore --as-new` makes a new one.',
  }),
];

const INTRODUCTION = `# The live file

Generated by \`npm run docs\`: do not edit.

The live file (\`warehouse\`, by default \`data/vodhouse.db\`) belongs to the worker: read it, never write to it. Readers use the
[published file](../tables.md) instead; the tables below may change with every version. \`sqlite3 FILE .schema\` shows types and indexes.

- Fields of the service have its names and values ([service.md](../service.md)) and are not listed here. NULL and \`''\` stay different.
- Times are text \`YYYY-MM-DD HH:MM:SS\` in UTC, in the ledger milliseconds since 1970 (\`…_ms\`). Days are those of the service's calendar.
- \`account\` is the name in the config. \`status\` and \`mode\` have the words of the [glossary](glossary.md).`;

/** The whole page. */
export const liveFileMarkdown = (): string => paragraphs([INTRODUCTION, ...LIVE_TABLES.flatMap(section)]);

const section = ({ name, key, columns, text }: LiveTable): string[] => [
  `## ${code(name)}`,
  text,
  `Key: ${codes(key)}.${columns.length > 0 ? ` Columns: ${codes(columns)}.` : ''}`,
];
