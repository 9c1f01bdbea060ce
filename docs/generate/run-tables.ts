/** The tables of the live file: runs, walks, the ledger of requests and pauses. */
import * as schema from '../../src/database/schema/runs.ts';
import { PURPOSES } from '../../src/lib/request-budget.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';
import { ACCOUNT, PACKAGE_ID } from './video-tables.ts';

const MODE = enumOf(schema.MODES, 'full: every page. quick: only new and removed videos.');
const EPOCH_MS = 'milliseconds since 1970-01-01 UTC';
const videos = (means: string) => withUnit('videos', means);

const run = describeTable(schema.run, 'One pass over everything due. Kept for `retention.runs_days`.', {
  run_id: 'Number of the run, increasing.',
  trigger: enumOf(
    schema.TRIGGERS,
    'What started it. schedule: a scheduled time. catch_up: a missed scheduled time, or a parked run that resumed. manual: a person.',
  ),
  mode: MODE,
  status: enumOf(
    schema.STATUSES,
    'partial: a part of it failed. parked: it stopped because the budget was used up, the account is paused, or another run was due. interrupted: it was stopped or killed.',
  ),
  started_at: 'When it started.',
  finished_at: 'When it ended; NULL while it runs.',
  requests: withUnit('requests', 'Requests that it sent; 0 while it runs.'),
  error: 'What failed or stopped it, in words; NULL if nothing did.',
  scope: 'The part that was requested, in words; NULL for everything.',
  resume_at: 'From when on a parked run may resume.',
  origin_started_at: 'Start time of the original run that this run resumes; NULL if it resumes none.',
  clock_offset_ms: withUnit(
    'milliseconds',
    "How far the service's clock was ahead of the machine's (negative: behind), if that was more than 10 minutes; otherwise NULL, also if the service sent no `Date`.",
  ),
});

const runFailure = describeTable(
  schema.runFailure,
  'One thing that a run could not do: a package, the storage of an account, or an account as a whole. Deleted with its run.',
  {
    run_id: 'Run that failed in this.',
    account: ACCOUNT,
    package_id: 'Package that failed; NULL for the storage, and for the account as a whole.',
    stream: enumOf(['videos', 'storage'], 'What failed; NULL for both.'),
    kind: enumOf(
      schema.FAILURE_KINDS,
      'Up to `foreign`: the fault of the last request. parked: the budget or the service asked to wait. preempted: another run was due. skipped: not requested after repeated failures. held: another worker has the account. interrupted: the run was stopped. clock: the clock of the machine is wrong. defect: an error in vodhouse. unknown: recorded by an earlier version.',
    ),
    message: 'What went wrong, in words.',
  },
);

const walk = describeTable(
  schema.walk,
  'One pass over the pages of one package, inside a run, with its checkpoint. A quick walk that found nothing leaves no row.',
  {
    walk_id: 'Number of the walk, increasing.',
    run_id: 'Run that it is part of; it is deleted with the run.',
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    mode: MODE,
    status: enumOf(
      schema.STATUSES,
      'As for runs. partial: some page was not read, so the walk does not count as complete.',
    ),
    pages: withUnit('pages', 'Pages that it read, including recognised ones; boundary reads do not count.'),
    totalcount: videos('How many videos the service last said the package has.'),
    inserted: videos('Videos that were new.'),
    updated: videos('Videos whose fields had changed.'),
    unchanged: withUnit(
      'records',
      'Records equal to their row, including those on recognised pages; one that is seen twice counts twice.',
    ),
    recognised: withUnit('pages', 'Pages whose bytes were unchanged: their records were not read.'),
    removed: videos('Videos that were marked removed at its end.'),
    restored: videos('Videos that were removed and returned.'),
    quarantined: withUnit(
      'records',
      'Records that could not be stored, including those that were in quarantine before.',
    ),
    unsettled: videos(
      'Known videos that fell between two pages, so that neither page proves their removal: they stay.',
    ),
    held_back: videos('Removals of the package that were held back when it ended.'),
    requests: withUnit('requests', 'Requests that the run sent for the package; 0 until the walk ends.'),
    resumed: '1 if it resumed from the checkpoint of an earlier walk.',
    started_at: 'When it started.',
    finished_at: 'When it ended; NULL while it runs.',
    error: 'What failed, or another remark, in words; NULL if there is none.',
    checkpoint_id: 'The checkpoint: the lowest video id read; NULL before the first page.',
    checkpoint_page: 'Page on which the checkpoint was read.',
    page_size: withUnit('videos a page', 'Page size of the response.'),
    order_violated: '1 if the list was found out of order: its order then proves nothing.',
    resumed_from_id: 'The checkpoint that it resumed from; NULL if it started at the end of the list.',
    unread_reason:
      'Why some page was not read, in words; NULL if all were. Walks that resume this one inherit it.',
    origin_started_at: 'Start time of the original walk that this one resumes; its own if it resumes none.',
  },
);

const request = describeTable(
  schema.request,
  'One request to the service, written before it was sent: the ledger of the budget. The key is never in it. Kept for `retention.requests_days`.',
  {
    request_id: 'Number of the request, increasing.',
    account: ACCOUNT,
    at_ms: withUnit(EPOCH_MS, 'When it was sent.'),
    answered_at_ms: withUnit(
      EPOCH_MS,
      'When the response arrived; NULL while it is in flight, or if none arrived.',
    ),
    purpose: enumOf(
      PURPOSES,
      'What it was for. storage: days. page: a page of a full walk. probe: the end of the list. boundary: the gap between two pages. quick: a page of a quick walk. check: `vodhouse check`.',
    ),
    run_id: 'Run that sent it; NULL outside of runs.',
    package_id: 'Package whose list was requested; NULL for storage.',
    page: 'Page that was requested; NULL for storage.',
    status: 'HTTP status of the response; NULL if none arrived.',
    duration_ms: withUnit(
      'milliseconds',
      'Time until the response or the failure; NULL while it is in flight.',
    ),
    bytes: withUnit('bytes', 'Size of the response body, decompressed; NULL if none was read.'),
    spent_until_ms: withUnit(
      EPOCH_MS,
      'Until when it may have reached the service: the time of the response, otherwise its deadline. The windows of the budget count from here.',
    ),
  },
);

const pause = describeTable(
  schema.pause,
  'One account that the service restricted: nothing is sent until the restriction ends. Deleted an hour after the full rate is restored.',
  {
    account: ACCOUNT,
    until: 'When requests may be sent again.',
    reason: 'What the service said, in words.',
    since: 'When the service first reported the restriction.',
    full_rate_at: 'When the full rate is restored: it rises from `until` on.',
    consecutive_restrictions: withUnit(
      'restrictions',
      'How many restrictions came in a row: each makes the pause longer.',
    ),
  },
);

const savedRequests = describeTable(
  schema.savedRequests,
  'One day of an account: the requests that quick walks saved. Kept for `retention.runs_days`.',
  {
    account: ACCOUNT,
    date: withUnit('YYYY-MM-DD', 'Day in UTC.'),
    quick_walks: withUnit('walks', 'Completed quick walks of a package.'),
    requests: withUnit('requests', 'Requests that full walks would have sent in addition.'),
  },
);

const backup = describeTable(
  schema.backup,
  'A backup that the worker made, makes, or failed to make; `vodhouse backup` writes no row. The row of an old backup goes with its file, that of a failure with the next backup.',
  {
    backup_id: 'Number of the backup.',
    file: 'Its absolute path.',
    started_at: 'When it was begun.',
    finished_at: 'When it was complete; NULL before that.',
    size_bytes: withUnit('bytes', 'Size of the file; NULL before it is complete.'),
    error: 'Why it failed, in words; NULL if it did not.',
  },
);

const warehouseState = describeTable(schema.warehouseState, 'The only row: the state of the file.', {
  singleton: 'Always 1.',
  created_at: 'When the file was created.',
  change_seq: 'The last `change_seq` given to a row of `video`.',
  restored_at:
    'When a backup last replaced the file; NULL if none did. Numbers (`change_seq`) from before may be used again for other changes.',
  timezone: 'Time zone of the calendar by which days are booked; NULL before the first run.',
  config_file: 'The config that the last run used; NULL before the first one.',
  config_accounts: 'The names of its accounts, separated by commas.',
  is_demo: '1 for the file of `vodhouse demo`.',
  warehouse_id:
    'Random id of the warehouse; its copies and backups have the same one. `vodhouse restore --as-new` gives another one.',
});

export const RUN_TABLES = [run, runFailure, walk, request, pause, savedRequests, backup];
export const STATE_TABLES = [warehouseState];
