/** Why runs are not complete, in words, and what to do about it. Pages and commands show the same. */
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { FAILURE_KINDS, KILLED, type FailureKind } from '../database/schema/runs.ts';
import { WALK_CHANGES } from '../database/schema/values.ts';
import { FAULT_KINDS } from '../lib/errors.ts';
import { formatCount, pluralize } from '../lib/format.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { describeFailure } from '../queries/named/failure-text.ts';
import { PACKAGE } from '../queries/named/packages.ts';
import { RUN_CAUSES, type CauseKind, type CauseRow, type RunDetails } from '../queries/named/run.ts';
import type { RunRow } from '../queries/named/runs.ts';
import { formatStream, isAccountStream, STREAM_KINDS } from '../sync/streams.ts';
import { adviseOnAccount, adviseOnStream, adviseToAccept, adviseToWait, SET_CLOCK } from './advice.ts';
import type { Advice } from './advice.ts';
import { acceptRemovalsCommands, packageNames, type Held } from './commands.ts';
import { createConfigFilter } from './facts.ts';
import { formatHeldReason } from './package-kinds.ts';
import { formatPackage, toSentence } from './text.ts';

const OF_RUN = { account: null, packages: 0, package_id: null, streams: null, count: 0 };

/** Reads why the run is not complete, what failed first. A complete run has no cause. */
function readCauses(db: Db, { run_id, status, error }: RunRow): CauseRow[] {
  const causes: CauseRow[] = [];
  for (const row of RUN_CAUSES.all(db, { run_id })) {
    // packages that were left out belong to what failed first in their account
    const first = causes.find(({ account }) => account === row.account);
    if (row.kind === 'skipped' && first) first.packages += row.packages;
    else causes.push(row);
  }
  if (status === 'interrupted') return [{ ...OF_RUN, kind: 'interrupted' }, ...causes];
  if (causes.length > 0 || status === 'succeeded' || status === 'running') return causes;
  // a record of storage that could not be stored is the one cause of which the run has no row
  return [{ ...OF_RUN, kind: error === null ? 'quarantined' : 'error' }];
}

/** Formats `The service of west does not answer: 8 packages and storage could not be read`. */
const describeCause = (cause: CauseRow, run: RunRow): string =>
  toSentence(formatCause(cause, run), cause.account);

function formatCause(cause: CauseRow, run: RunRow): string {
  const { account, kind, packages, package_id: id, count } = cause;
  const part =
    packages === 1 && id !== null ? `${account}/${id}` : `${pluralize(packages, 'package')} of ${account}`;
  switch (kind) {
    case 'error':
      return `the run ${run.resume_at === null ? 'failed' : `waits until ${run.resume_at} UTC`}: ${run.error}`;
    case 'interrupted':
      return run.finished_at === null || run.error === KILLED ? KILLED : describeFailure(kind);
    case 'incomplete':
      return `${part} could not be read completely`;
    case 'held_back':
      return `${pluralize(count, 'removal')} of ${part} held back`;
    case 'quarantined':
      return account === null
        ? 'records of storage could not be stored'
        : `${pluralize(count, 'record')} of ${part} could not be stored`;
    default:
      return describeFailed(cause, kind, run);
  }
}

const listStreams = ({ streams }: CauseRow) => (streams ?? '').split(',').filter(isAccountStream);

function describeFailed(cause: CauseRow, kind: FailureKind, { resume_at: resumeAt }: RunRow): string {
  const { account, packages, package_id: id } = cause;
  const isOfService = FAULT_KINDS.some((each) => each === kind);
  const isLater = kind === 'parked' || kind === 'preempted';
  const until = isLater && resumeAt !== null ? ` until ${resumeAt} UTC` : '';
  const clause = describeFailure(kind, `the service of ${account}`) + until;
  const named = packages === 1 && id !== null ? `package ${id}` : pluralize(packages, 'package');
  const affected = [
    ...(packages > 0 ? [named] : []),
    ...listStreams(cause).map((stream) => STREAM_KINDS[stream].one),
  ];
  if (affected.length === 0) return isOfService ? clause : `${clause} (${account})`;
  const of = isOfService ? '' : ` of ${account}`;
  return `${clause}: ${affected.join(' and ')}${of} could not be read${isLater ? ' yet' : ''}`;
}

/** One reason why a run is not complete, and what to do about it; null: nothing. */
export interface Explanation {
  /** Null: of the run as a whole. */
  account: string | null;
  kind: CauseKind;
  text: string;
  advice: Advice | null;
}

interface ExplainParts {
  db: Db;
  config: Pick<Config, 'accounts'>;
  formatCommand: FormatCommand;
}

/** Formats the command that accepts what is held back; null for a package that the config does not have. */
export function heldCommands(
  config: ExplainParts['config'],
  formatCommand: FormatCommand,
): (held: Held) => string | null {
  const isConfigured = createConfigFilter(config);
  const accept = acceptRemovalsCommands(formatCommand, config.accounts);
  return (held) => (isConfigured(held) ? accept(held) : null);
}

/** Explains why a run is not complete. */
export function explainRun(parts: ExplainParts, { run, held_back }: RunDetails): Explanation[] {
  const toCommand = heldCommands(parts.config, parts.formatCommand);
  return readCauses(parts.db, run).flatMap((cause): Explanation | Explanation[] => {
    const { account, kind } = cause;
    const text = describeCause(cause, run);
    if (kind !== 'held_back') return { account, kind, text, advice: adviseOnCause(parts, cause) };
    const waiting = held_back.filter((row) => row.account === account);
    if (waiting.length === 0)
      return { account, kind, text: `${text}; none of them waits any more`, advice: null };
    return waiting.map((row) => {
      const { package_id: id, name, removals, reasons } = row;
      const held = `${pluralize(removals, 'removal')} of ${formatPackage(row.account, id, name)} held back`;
      const command = toCommand(row);
      const advice = command === null ? null : adviseToAccept(command);
      return { account, kind, text: `${held}: ${formatHeldReason(reasons)}`, advice };
    });
  });
}

const isFailureKind = (kind: CauseKind): kind is FailureKind => FAILURE_KINDS.some((each) => each === kind);

/** The advice of the problem that the cause is as long as it lasts. */
function adviseOnCause({ db, config, formatCommand }: ExplainParts, cause: CauseRow): Advice | null {
  const { account, kind, packages, package_id: id } = cause;
  if (account === null || !isFailureKind(kind)) return null;
  if (kind === 'parked' || kind === 'preempted') return adviseToWait(formatCommand);
  if (kind === 'clock') return SET_CLOCK;
  const streams = listStreams(cause);
  if (packages + streams.length !== 1) return adviseOnAccount(kind, formatCommand);
  if (id === null) return adviseOnStream(true, formatCommand(`sync --${streams.join()}`));
  const row = { account, package_id: id };
  if (!createConfigFilter(config)(row)) return null;
  const isRead = (PACKAGE.get(db, row)?.walked_at ?? null) !== null;
  return adviseOnStream(isRead, formatCommand(`sync --package ${packageNames(config.accounts)(row)}`));
}

type Walk = Pick<RunDetails['walks'][number], 'status' | (typeof NOTABLE)[number]>;
type ShownWalk = Walk & Pick<RunDetails['walks'][number], 'totalcount'>;
const NOTABLE = [...WALK_CHANGES, 'quarantined', 'unsettled', 'held_back'] as const;

/** Whether the walk changed anything, or did not succeed. */
export const isNotable = (walk: Walk): boolean =>
  walk.status !== 'succeeded' || NOTABLE.some((column) => walk[column] > 0);

/**
 * Walks of a run: the notable ones, first those that did not succeed; and the others. A package without
 * videos is notable: its id may be wrong.
 */
export function splitWalks<Of extends ShownWalk>(walks: readonly Of[]): { notable: Of[]; unchanged: Of[] } {
  const hasSucceeded = (walk: Of) => Number(walk.status === 'succeeded');
  const isShown = (walk: Of) => isNotable(walk) || walk.totalcount === 0;
  return {
    notable: walks.filter(isShown).sort((one, other) => hasSucceeded(one) - hasSucceeded(other)),
    unchanged: walks.filter((walk) => !isShown(walk)),
  };
}

/** The technical text of a failure; `kind` is the status of the walk where only that has the text. */
export type ErrorRow = Pick<
  RunDetails['failures'][number],
  'account' | 'package_id' | 'stream' | 'message'
> & {
  kind: string;
  /** What to do, where the error has just been met. */
  hint?: string | null;
};

/** What was reported in a run: its failures, and what else its walks reported. */
export function listErrors({ failures, walks }: Pick<RunDetails, 'failures' | 'walks'>): ErrorRow[] {
  const failed = new Set(failures.map(formatStream));
  const others = walks.flatMap(({ account, package_id, status: kind, error: message }): ErrorRow[] => {
    const row = { account, package_id, stream: 'videos' as const };
    return message === null || failed.has(formatStream(row)) ? [] : [{ ...row, kind, message }];
  });
  return [...failures, ...others];
}

/** A line below a run: one of its causes. */
export interface CauseLine {
  run_id: number;
  text: string;
  /** `7 runs in a row, since …`; null for one. */
  inRow: string | null;
}

/** A cause that runs in a row have: the newest of them, the begin of the oldest, and how many they are. */
interface Row {
  key: string;
  text: string;
  run_id: number;
  since: string;
  runs: number;
}

/**
 * The causes of the runs, which are the newest first. Of runs in a row with the same cause the newest one has
 * the line. `hasEarlier`: there are runs before the last of these.
 */
export function listCauseLines(db: Db, runs: readonly RunRow[], hasEarlier: boolean): CauseLine[] {
  const rows: Row[] = [];
  let going: Row[] = []; // those that the next run continues if it has their cause
  for (const [at, run] of runs.entries()) {
    const { run_id, started_at: since } = run;
    if (runs[at - 1]?.run_id !== run_id + 1) going = []; // runs that are not listed lie between
    const found = readCauses(db, run).map((cause): Row => {
      const key = keyOf(cause, run);
      const known = going.find((row) => row.key === key);
      if (known) return Object.assign(known, { since, runs: known.runs + 1 });
      return { key, text: describeCause(cause, run), run_id, since, runs: 1 };
    });
    rows.push(...found.filter((row) => !going.includes(row)));
    going = isOverEverything(run) ? found : [...going, ...found];
  }
  return rows.map((row) => ({
    run_id: row.run_id,
    text: row.text,
    inRow: row.runs === 1 ? null : formatRow(row, hasEarlier && going.includes(row)),
  }));
}

/** Causes of two runs with the same key are the same one. Of several packages, only the number may differ. */
const keyOf = ({ account, kind, packages, package_id: id }: CauseRow, { error }: RunRow): string =>
  JSON.stringify([account, kind, packages > 1 || id, kind === 'error' && error]);

/** Only a run over everything that ended shows that a cause is over: another one may not have met it. */
const isOverEverything = ({ scope, status }: RunRow): boolean =>
  scope === null && (status === 'succeeded' || status === 'partial' || status === 'failed');

const formatRow = ({ runs, since }: Row, isCut: boolean): string =>
  `${isCut ? 'at least ' : ''}${formatCount(runs)} runs in a row, since ${since} UTC`;
