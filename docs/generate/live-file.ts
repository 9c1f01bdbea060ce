/** docs/contributing/live-file.md: the tables of the live file. `npm run docs` writes it. */
import { getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as incidents from '../../src/database/schema/incidents.ts';
import * as runs from '../../src/database/schema/runs.ts';
import * as storage from '../../src/database/schema/storage.ts';
import * as targets from '../../src/database/schema/targets.ts';
import * as videos from '../../src/database/schema/videos.ts';
import { code, paragraphs } from './markdown.ts';

interface LiveTable {
  name: string;
  /** What one row is. */
  row: string;
  /** Column and meaning, where neither the name nor the schema says it. */
  notes: readonly (readonly [string, string])[];
}

/** The compiler checks the names of the columns. */
function describe<T extends SQLiteTable>(
  table: T,
  row: string,
  notes: Partial<Record<Extract<keyof T['$inferSelect'], string>, string>> = {},
): LiveTable {
  const lines = Object.entries(notes).map(([column, note]) => [column, String(note)] as const);
  return { name: getTableName(table), row, notes: lines };
}

/** The tables that people ask for come first. */
export const LIVE_TABLES: readonly LiveTable[] = [
  describe(videos.packageTable, 'a package, also one that left the config', {
    walked_at: 'end of the last full walk that read every page',
    compared_at: 'end of the last walk, full or quick',
    order: '`untrusted`: only a response with the whole list proves removals',
    last_turn_walk_id: 'the lowest is served next',
    failed_walks: 'full walks in a row that failed',
    missing_records: 'missed by the last quick walk, which could not locate them',
  }),
  describe(videos.video, 'a video of a package in its present state, also one that is gone', {
    extra: 'JSON of the fields that the service does not document',
    change_seq: 'rises over the whole file; targets load by it',
  }),
  describe(videos.videoVersion, 'a former state of a video; a trigger writes it'),
  describe(videos.packageDay, 'the number of videos of a package at the end of a day'),
  describe(videos.removalCandidate, 'a proved removal that has not taken effect yet', {
    proof: '`order`: the list is sorted and the video is not in its place; `whole`: one response had all',
    held_by: 'the walk that held it back',
  }),
  describe(videos.quarantine, 'a record that cannot be stored without loss', {
    resolved_at: 'when it was stored, changed or gone',
  }),
  describe(videos.drift, 'a way in which a field differs from the description of the service', {
    absent_walks: 'full walks without it; three resolve it',
  }),
  describe(videos.pageHash, 'a page that is not parsed while its bytes and rows are unchanged', {
    proof_low: 'with `proof_high`: the ids between which the page showed every live video',
  }),
  describe(storage.storageDay, 'a day of an account, with the figures of the service'),
  describe(storage.storageReading, 'a reading of a day that was not over'),
  describe(storage.storageDiscrepancy, 'a figure of a booked day that the service now reports differently'),
  describe(storage.storageCorrection, 'figures of a booked day that a person accepted; append-only'),
  describe(storage.storageGap, 'a past day that was requested and is not booked', {
    requested_days: 'separate days on which it was requested',
  }),
  describe(storage.storageUnconfirmed, 'implausible figures of a past day, until they arrive a second time'),
  describe(runs.run, 'a pass over everything due', {
    scope: 'the part that a person asked for; NULL for everything',
    origin_started_at: 'start of the run that this one resumes',
    clock_offset_ms: 'how far the clock of the service is ahead, above 10 minutes',
  }),
  describe(runs.runFailure, 'what a run could not do: a package, the storage, or a whole account'),
  describe(runs.walk, 'a walk, with its checkpoint; a quick walk that found nothing has none', {
    recognised: 'pages with unchanged bytes',
    unsettled: 'known ids between two pages, which neither page proves: they stay',
    resumed: '1: it continues the checkpoint of an earlier walk',
  }),
  describe(runs.request, 'a request, written before it is sent: the ledger of the budget', {
    purpose: '`probe`: the end of a list',
    spent_until_ms: 'until when it may have reached the service; the windows of the budget count from here',
  }),
  describe(runs.pause, 'an account that the service restricted', {
    full_rate_at: 'the rate rises from `until` to this time',
  }),
  describe(runs.savedRequests, 'a day (UTC) of an account: the requests that quick walks saved'),
  describe(runs.backup, 'a backup of the worker; `vodhouse backup` writes none'),
  describe(targets.targetLoad, 'what became of an account in a target'),
  describe(targets.publication, 'a publication: a target recognises an older copy of the file by it'),
  describe(targets.forgotten, 'a `vodhouse forget`: targets load the account again'),
  describe(incidents.incident, 'a problem that people were told of', {
    part: '`storage`, or the name of a target',
    details: 'JSON, as in [alerts.md](../alerts.md)',
    notified_at: 'when the webhook last accepted a message about it, before its end',
    next_at: 'when the next message may be sent; a process that sends it sets it a minute ahead',
  }),
  describe(runs.warehouseState, 'the only one: the state of the file', {
    timezone: 'of the calendar of the booked days; another one is rejected',
    warehouse_id: 'a UUID; copies share it, `restore --as-new` makes a new one',
  }),
];

const INTRODUCTION = `# The live file

Generated by \`npm run docs\`: do not edit.

The live file (\`warehouse\`, by default \`data/vodhouse.db\`) belongs to the worker: read it, never write to it. Its tables may change with
every version; readers use the [published file](../tables.md). \`src/database/schema\` and \`sqlite3 FILE .schema\` have all columns, keys
and indexes. Fields of the service keep its names and values ([service.md](../service.md)); NULL and \`''\` stay different. Times are text in
UTC, or milliseconds since 1970 (\`…_ms\`).`;

/** The whole page. */
export const liveFileMarkdown = (): string =>
  paragraphs([
    INTRODUCTION,
    `| table | one row is |\n| --- | --- |\n${LIVE_TABLES.map(formatRow).join('\n')}`,
    '## Columns whose name does not say enough',
    LIVE_TABLES.flatMap(formatNotes).join('\n'),
  ]);

const formatRow = ({ name, row }: LiveTable): string => `| ${code(name)} | ${row} |`;

const formatNotes = ({ name, notes }: LiveTable): string[] =>
  notes.map(([column, note]) => `- ${code(`${name}.${column}`)}: ${note}`);
