/** The live file described: runs, walks, the ledger of requests and what governs it. */
import * as schema from '../../src/database/schema/runs.ts';
import { PURPOSES } from '../../src/lib/request-budget.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';
import { ACCOUNT, PACKAGE_ID } from './video-tables.ts';

const MODE = enumOf(schema.MODES, 'full: every page. quick: only what is new or gone.');
const EPOCH_MS = 'milliseconds since 1970-01-01 UTC';
const videos = (means: string) => withUnit('videos', means);

const run = describeTable(schema.run, 'One pass over everything due. Kept for `retention.runs_days`.', {
  run_id: 'Number of the run, rising.',
  trigger: enumOf(
    schema.TRIGGERS,
    'What set it off. schedule: a tick of it. catch_up: a tick that was missed, or a parked run that went on. manual: a person.',
  ),
  mode: MODE,
  status: enumOf(
    schema.STATUSES,
    'partial: a part of it failed. parked: it stopped because the budget was spent, the account is paused, or another run was due. interrupted: it was told to end, or killed.',
  ),
  started_at: 'When it began.',
  finished_at: 'When it ended; NULL while it runs.',
  requests: withUnit('requests', 'Requests that it sent; 0 while it runs.'),
  error: 'What went wrong or stopped it, in words; NULL where nothing did.',
  scope: 'What was asked for where that was not everything, in words; NULL for everything.',
  resume_at: 'Parked: from when on it may be gone on with.',
  origin_started_at:
    'Start of the first of the runs that this one goes on from; NULL where it goes on from none.',
  clock_offset_ms: withUnit(
    'milliseconds',
    "How far the service's clock was ahead of the machine's (negative: behind), where that was more than 10 minutes; NULL where it was less, or where the service sent no `Date`.",
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
      'Up to `foreign`: the fault of the last request. parked: the budget or the service asked to wait. preempted: another run was due. skipped: not requested after repeated failures. interrupted: the run was stopped. clock: the clock of the machine is wrong. defect: an error in vodhouse. unknown: recorded by an earlier version.',
    ),
    message: 'What went wrong, in words.',
  },
);

const walk = describeTable(
  schema.walk,
  'One pass over the pages of one package, inside a run, with its checkpoint. A quick walk that found nothing leaves no row.',
  {
    walk_id: 'Number of the walk, rising.',
    run_id: 'Run that it is part of; it is forgotten with it.',
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    mode: MODE,
    status: enumOf(
      schema.STATUSES,
      'As for runs. partial: some page was not read, so the walk does not count as whole.',
    ),
    pages: withUnit(
      'pages',
      'Pages that it took in, recognised ones too; looks between two pages do not count.',
    ),
    totalcount: videos('How many videos the service last said the package has.'),
    inserted: videos('Videos that were new.'),
    updated: videos('Videos whose fields had changed.'),
    unchanged: withUnit(
      'records',
      'Records that were as their row, those on recognised pages too; one that is seen twice counts twice.',
    ),
    recognised: withUnit('pages', 'Pages known by their bytes: not looked into.'),
    removed: videos('Videos that were marked removed at its end.'),
    restored: videos('Videos that were removed and came back.'),
    quarantined: withUnit(
      'records',
      'Records that could not be stored, also those that were in quarantine before.',
    ),
    unsettled: videos('Known videos that fell between two pages, which neither page could prove: they stay.'),
    held_back: videos('Removals of the package that were held back when it ended.'),
    requests: withUnit('requests', 'Requests that the run sent for the package; 0 until the walk ends.'),
    resumed: '1 where it went on from the checkpoint of an earlier walk.',
    started_at: 'When it began.',
    finished_at: 'When it ended; NULL while it runs.',
    error: 'What went wrong or is worth saying, in words; NULL where nothing is.',
    checkpoint_id: 'The checkpoint: the lowest video id read; NULL before the first page.',
    checkpoint_page: 'Page on which the checkpoint was read.',
    page_size: withUnit('videos a page', 'Page size that the service answered with.'),
    order_violated: '1 where the list was seen out of order: nothing is proved by its order.',
    resumed_from_id: 'The checkpoint that it went on from; NULL where it began at the end of the list.',
    unread_reason:
      'Why some page was not read, in words; NULL where all were. Walks that go on from this one take it over.',
    origin_started_at:
      'Start of the first of the walks that this one goes on from; its own where it goes on from none.',
  },
);

const request = describeTable(
  schema.request,
  'One request to the service, written before it was sent: the ledger of the budget. The key is never in it. Kept for `retention.requests_days`.',
  {
    request_id: 'Number of the request, rising.',
    account: ACCOUNT,
    at_ms: withUnit(EPOCH_MS, 'When it was sent.'),
    answered_at_ms: withUnit(
      EPOCH_MS,
      'When its answer was there; NULL while it is under way, or where none came.',
    ),
    purpose: enumOf(
      PURPOSES,
      'What it was for. storage: days. page: a page of a full walk. probe: where the list ends. boundary: a look between two pages. quick: a page of a quick walk. check: `vodhouse check`.',
    ),
    run_id: 'Run that sent it; NULL outside of runs.',
    package_id: 'Package whose list was asked for; NULL for storage.',
    page: 'Page that was asked for; NULL for storage.',
    status: 'HTTP status of the answer; NULL where none came.',
    duration_ms: withUnit(
      'milliseconds',
      'From sending until its answer or its failure; NULL while it is under way.',
    ),
    bytes: withUnit('bytes', 'Size of the content of the answer, decompressed; NULL where none was read.'),
    spent_until_ms: withUnit(
      EPOCH_MS,
      'Until when it may have reached the service: its answer, or else its deadline. The windows of the budget count from here.',
    ),
  },
);

const pause = describeTable(
  schema.pause,
  'One account that the service restricted: nothing is sent before that is over. Forgotten an hour after the full rate is back.',
  {
    account: ACCOUNT,
    until: 'When requests may be sent again.',
    reason: 'What the service said, in words.',
    since: 'When the restriction was first told.',
    full_rate_at: 'When the full rate is back: it rises from `until` on.',
    consecutive_restrictions: withUnit('restrictions', 'How many came in a row: pauses grow with them.'),
  },
);

const savedRequests = describeTable(
  schema.savedRequests,
  'One day of an account: what quick looks saved. Kept for `retention.runs_days`.',
  {
    account: ACCOUNT,
    date: withUnit('YYYY-MM-DD', 'Day in UTC.'),
    looks: withUnit('looks', 'Quick looks at a package that came to their end.'),
    requests: withUnit('requests', 'Requests that full walks would have sent on top.'),
  },
);

const warehouseState = describeTable(
  schema.warehouseState,
  'The only row: that the file is a warehouse, and how far its changes are counted.',
  {
    singleton: 'Always 1.',
    created_at: 'When the file was made.',
    change_seq: 'The last `change_seq` given to a row of `video`.',
    restored_at:
      'When a backup was last put in place of the file; NULL where none was. Numbers given before that may be given to other changes after it.',
    timezone: 'Time zone of the calendar by which days are booked; NULL before the first run.',
  },
);

export const RUN_TABLES = [run, runFailure, walk, request, pause, savedRequests];
export const STATE_TABLES = [warehouseState];
