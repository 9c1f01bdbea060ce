/** Why runs are not complete: read, and in words. Pages and commands show the same. */
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { KILLED, type FailureKind } from '../database/schema/runs.ts';
import { WALK_CHANGES } from '../database/schema/values.ts';
import { FAULT_KINDS } from '../lib/errors.ts';
import { formatCount, pluralize } from '../lib/format.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { describeFailure } from '../queries/named/failure-text.ts';
import {
  RUN_CAUSES,
  type CauseKind,
  type CauseRow,
  type HeldByRun,
  type RunDetails,
} from '../queries/named/run.ts';
import type { RunRow } from '../queries/named/runs.ts';
import { formatStream, isAccountStream, STREAM_KINDS, type AccountStream } from '../sync/streams.ts';
import { acceptRemovalsCommands, type Held } from './commands.ts';
import { createConfigFilter } from './facts.ts';
import { formatHeldReason } from './package-kinds.ts';
import { formatPackage } from './text.ts';

/** One reason why a run is not complete. */
export interface Cause {
  /** Null: of the run as a whole. */
  account: string | null;
  /** `error`: the run itself failed or waits. */
  kind: CauseKind | 'error';
  /** How many packages it affects, and one of them. */
  packages: number;
  package_id: number | null;
  /** What it affects besides packages. */
  streams: AccountStream[];
  /** Removals that are held back, or records that could not be stored. */
  count: number;
}

/** The causes of each run by its number, what failed first. A complete run has none. */
export function readCauses(db: Db, runs: readonly RunRow[]): Map<number, readonly Cause[]> {
  const found = new Map(runs.map(({ run_id: id }): [number, Cause[]] => [id, []]));
  const [first, last] = [Math.min(...found.keys()), Math.max(...found.keys())];
  for (const row of RUN_CAUSES.all(db, { first, last })) addRow(found.get(row.run_id) ?? [], row);
  return new Map(runs.map((run) => [run.run_id, completeCauses(run, found.get(run.run_id) ?? [])]));
}

/** Rows of one kind are one cause. Packages that were skipped belong to what failed before. */
function addRow(causes: Cause[], { account, kind, stream, packages, package_id, count }: CauseRow): void {
  const isSame = (cause: Cause) => cause.account === account && (cause.kind === kind || kind === 'skipped');
  const known = causes.find(isSame);
  const cause: Cause = known ?? { account, kind, packages: 0, package_id, streams: [], count: 0 };
  if (!known) causes.push(cause);
  cause.packages += packages;
  cause.package_id ??= package_id;
  cause.count += count;
  if (isAccountStream(stream)) cause.streams.push(stream);
}

const OF_RUN = { account: null, packages: 0, package_id: null, streams: [], count: 0 };

function completeCauses({ status, error }: RunRow, causes: readonly Cause[]): readonly Cause[] {
  if (status === 'interrupted') return [{ ...OF_RUN, kind: 'interrupted' }, ...causes];
  if (causes.length > 0 || status === 'succeeded' || status === 'running') return causes;
  // a record of storage that could not be stored is the one cause of which the run has no row
  return [{ ...OF_RUN, kind: error === null ? 'quarantined' : 'error' }];
}

/** A cause in one sentence: `the service of west does not answer: 8 packages and storage could not be read`. */
export function describeCause(cause: Cause, run: RunRow): string {
  const { account, kind, packages, package_id: id, count } = cause;
  const isOne = packages === 1 && id !== null;
  const part = isOne ? `${account}/${id}` : `${pluralize(packages, 'package')} of ${account}`;
  if (kind === 'error') {
    const what = run.resume_at === null ? 'the run failed' : `the run waits until ${run.resume_at} UTC`;
    return `${what}: ${run.error}`;
  }
  if (kind === 'interrupted')
    return run.finished_at === null || run.error === KILLED ? KILLED : describeFailure(kind);
  if (kind === 'incomplete') return `${part} could not be read completely`;
  if (kind === 'held_back') return `${pluralize(count, 'removal')} of ${part} held back`;
  if (kind === 'quarantined')
    return `${count === 0 ? 'records of storage' : `${pluralize(count, 'record')} of ${part}`} could not be stored`;
  return describeFailed({ ...cause, kind }, run);
}

function describeFailed(
  { account, kind, packages, package_id: id, streams }: Cause & { kind: FailureKind },
  { resume_at: resumeAt }: RunRow,
): string {
  const isOfService = FAULT_KINDS.some((each) => each === kind);
  const isLater = kind === 'parked' || kind === 'preempted';
  const until = isLater && resumeAt !== null ? ` until ${resumeAt} UTC` : '';
  const clause = describeFailure(kind, `the service of ${account}`) + until;
  const named = packages === 1 && id !== null ? `package ${id}` : pluralize(packages, 'package');
  const affected = [...(packages > 0 ? [named] : []), ...streams.map((stream) => STREAM_KINDS[stream].one)];
  const of = isOfService ? '' : ` of ${account}`;
  if (affected.length === 0) return clause + (isOfService ? '' : ` (${account})`);
  return `${clause}: ${affected.join(' and ')}${of} could not be read${isLater ? ' yet' : ''}`;
}

/** Why a run is not complete, in one line; the command accepts the removals that the line names. */
export interface Explanation extends Pick<Cause, 'account' | 'kind'> {
  text: string;
  command: string | null;
}

/** Formats the command that accepts what is held back; null for a package that the config does not have. */
export function heldCommands(
  config: Pick<Config, 'accounts'>,
  formatCommand: FormatCommand,
): (held: Held) => string | null {
  const isConfigured = createConfigFilter(config);
  const accept = acceptRemovalsCommands(formatCommand, config.accounts);
  return (held) => (isConfigured(held) ? accept(held) : null);
}

/** Explains one run. `toCommand` makes the command that accepts removals; null where the config has none. */
export function explainRun(
  db: Db,
  { run, held_back }: RunDetails,
  toCommand: (held: Held) => string | null,
): Explanation[] {
  return (readCauses(db, [run]).get(run.run_id) ?? []).flatMap((cause): Explanation | Explanation[] => {
    const { account, kind } = cause;
    const text = describeCause(cause, run);
    if (kind !== 'held_back') return { account, kind, text, command: null };
    const waiting = held_back.filter((row) => row.account === account);
    if (waiting.length === 0)
      return { account, kind, text: `${text}; none of them waits any more`, command: null };
    return waiting.map((row) => ({ account, kind, text: formatWaiting(row), command: toCommand(row) }));
  });
}

function formatWaiting({ account, package_id: id, name, removals, reasons }: HeldByRun): string {
  const held = `${pluralize(removals, 'removal')} of ${formatPackage(account, id, name)} held back`;
  return `${held}: ${formatHeldReason(reasons)}`;
}

type Walk = Pick<RunDetails['walks'][number], 'status' | (typeof NOTABLE)[number]>;
type ShownWalk = Walk & Pick<RunDetails['walks'][number], 'totalcount'>;
const NOTABLE = [...WALK_CHANGES, 'quarantined', 'unsettled', 'held_back'] as const;

/** Whether the walk changed anything, or did not succeed. */
export const isNotable = (walk: Walk): boolean =>
  walk.status !== 'succeeded' || NOTABLE.some((column) => walk[column] > 0);

/**
 * Walks of a run: the notable ones, first those that did not succeed; and the others. A package without videos
 * is notable: its id may be wrong.
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

interface Row {
  cause: Cause;
  newest: RunRow;
  oldest: RunRow;
  runs: number;
}

/**
 * The causes of the runs, which are the newest first. Of runs in a row with the same cause the newest one has
 * the line. `hasEarlier`: there are runs before the last of these.
 */
export function listCauseLines(db: Db, runs: readonly RunRow[], hasEarlier: boolean): CauseLine[] {
  const causes = readCauses(db, runs);
  const rows: Row[] = [];
  let going: Row[] = [];
  for (const [at, run] of runs.entries()) {
    if (runs[at - 1]?.run_id !== run.run_id + 1) going = []; // runs that are not listed lie between
    const found = (causes.get(run.run_id) ?? []).map((cause) => {
      const row = going.find((each) => isSameCause(each, { cause, newest: run })) ?? {
        cause,
        newest: run,
        oldest: run,
        runs: 0,
      };
      if (row.runs === 0) rows.push(row);
      return Object.assign(row, { oldest: run, runs: row.runs + 1 });
    });
    going = isOverEverything(run) ? found : [...new Set([...going, ...found])];
  }
  return rows.map((row) => ({
    run_id: row.newest.run_id,
    text: describeCause(row.cause, row.newest),
    inRow: row.runs === 1 ? null : formatRow(row, hasEarlier && going.includes(row)),
  }));
}

const isSameCause = (one: Pick<Row, 'cause' | 'newest'>, other: Pick<Row, 'cause' | 'newest'>): boolean =>
  one.cause.account === other.cause.account &&
  one.cause.kind === other.cause.kind &&
  getExtent(one.cause) === getExtent(other.cause) &&
  (one.cause.kind !== 'error' || one.newest.error === other.newest.error);

const getExtent = ({ packages, package_id: id }: Cause) => (packages > 1 ? 'several' : packages === 1 && id);

/** Only such a run shows that a cause is over: another one may not have met it. */
const isOverEverything = ({ scope, status }: RunRow): boolean =>
  scope === null && (status === 'succeeded' || status === 'partial' || status === 'failed');

function formatRow({ runs, oldest }: Row, isCut: boolean): string {
  return `${isCut ? 'at least ' : ''}${formatCount(runs)} runs in a row, since ${oldest.started_at} UTC`;
}
