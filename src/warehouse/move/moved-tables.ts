/** Which tables of the live file move with an account, and which numbers in them count in one file only. */

/** Counters of a file. A number n becomes n + offset in another file; 0 and NULL mean none, and stay. */
export const COUNTERS = [
  ...(['change_seq', 'run_id', 'walk_id', 'request_id', 'reading_id'] as const),
  ...(['discrepancy_id', 'quarantine_id'] as const),
] as const;
export type Counter = (typeof COUNTERS)[number];

/** The tables whose key is a counter. */
export const COUNTED_TABLES: Readonly<Record<Exclude<Counter, 'change_seq'>, string>> = {
  run_id: 'run',
  walk_id: 'walk',
  request_id: 'request',
  reading_id: 'storage_reading',
  discrepancy_id: 'storage_discrepancy',
  quarantine_id: 'quarantine',
};

type Columns = Readonly<Record<string, Counter>>;

/** Tables with an account whose rows move, in an order that suits foreign keys; with their columns of numbers. */
export const MOVED_TABLES: Readonly<Record<string, Columns>> = {
  package: { changed_seq: 'change_seq', last_turn_walk_id: 'walk_id' },
  package_day: {},
  video: { change_seq: 'change_seq' },
  video_version: { change_seq: 'change_seq' },
  removal_candidate: { walk_id: 'walk_id', held_by: 'walk_id' },
  quarantine: { quarantine_id: 'quarantine_id' },
  drift: {},
  page_hash: { change_seq: 'change_seq' },
  storage_day: {},
  storage_reading: { reading_id: 'reading_id' },
  storage_discrepancy: { discrepancy_id: 'discrepancy_id' },
  storage_correction: {},
  storage_gap: {},
  storage_unconfirmed: {},
  run_failure: { run_id: 'run_id' },
  walk: { walk_id: 'walk_id', run_id: 'run_id' },
  request: { request_id: 'request_id', run_id: 'run_id' },
  pause: {},
  saved_requests: {},
};

/** Tables that may have rows of an account that the file does not have: its ledger, and what runs noted. */
export const SHARED_TABLES: readonly string[] = ['run_failure', 'walk', 'request', 'pause', 'saved_requests'];

/** Tables with an account that belong to the worker on a file: its alerts, its loads, its moves. */
export const STAYING_TABLES: readonly string[] = ['incident', 'incident_message', 'account_move'];

/** What the worker on a file noted of an account and its targets: of no use to anyone once the account has left. */
export const DROPPED_TABLES: readonly string[] = ['target_load'];
