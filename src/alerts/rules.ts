/** What of the facts is an incident. Pure. */
import type { Config } from '../config/config.ts';
import { pluralize, escapeControls, truncate } from '../lib/format.ts';
import { formatHeldReason } from '../health/held-back.ts';
import type { Stream } from '../health/streams.ts';
import type { IncidentEvent, IncidentFacts } from './outbox.ts';
import type { StatusQueries } from '../queries/status-queries.ts';

/** What is known of a live file at one moment. Moments are as the warehouse writes them; no text holds a key. */
export interface AlertInputs {
  config: Pick<Config, 'accounts'>;
  streams: readonly Stream[];
  /** A run is under way: it may still get to what was never read. */
  isRunning: boolean;
  /** Two ticks have passed since somebody began to watch: what was never read until now is late. */
  isOverdue: boolean;
  /** Since when somebody watches. */
  watchedSince: string;
  failedWalks: ReturnType<IncidentFacts['failedWalks']>;
  failedRun: ReturnType<IncidentFacts['failedRun']>;
  /** Accounts whose storage failed in runs since one succeeded, all that the last of them says, and if it was read since. */
  failedStorage: readonly { account: string; error: string; since: string; isRead: boolean }[];
  /** The restrictions in force, and those whose rate is still coming back. */
  pauses: readonly (NonNullable<ReturnType<StatusQueries['pause']>> & { isInForce: boolean })[];
  /** With the command that lets exactly these removals through. */
  heldBack: readonly (ReturnType<StatusQueries['countHeldBack']>[number] & { command: string })[];
  /** Of each account: the booked days that the service now reports differently, and those that are not booked. */
  storage: readonly {
    account: string;
    differences: ReturnType<IncidentFacts['differences']>;
    gaps: ReturnType<IncidentFacts['gaps']>;
  }[];
}

/** Trouble as it is now. */
export interface ActiveProblem {
  event: IncidentEvent;
  account: string | null;
  packageId: number | null;
  /** One sentence. */
  text: string;
  /** What is sent as `details`: docs/alerts.md says what each event has. */
  details: Readonly<Record<string, unknown>>;
  /** When it began, as far as that is known, as the warehouse writes moments. */
  since: string;
  /** False where it is no news yet: an incident that has begun lasts, and none begins. */
  mayBegin: boolean;
}

/** The longest text of the service that a sentence takes in, in columns, and the most days or fields of a list. */
const LONGEST = 300;
const MOST = 100;

/** All that is an incident by these facts, of the accounts and packages of the config. */
export function findIncidents(facts: AlertInputs): ActiveProblem[] {
  const all = [
    ...facts.pauses.map(restricted),
    ...failedRuns(facts),
    ...facts.failedStorage.filter(({ isRead }) => !isRead).map(storageFailed),
    ...facts.failedWalks.map((row) => failed(row, nameIn(facts.config, row.account, row.package_id))),
    ...facts.streams.filter(({ isStale }) => isStale).map((stream) => stale(stream, facts)),
    ...facts.heldBack.map((row) => heldBack(row, nameIn(facts.config, row.account, row.package_id))),
    ...facts.storage.flatMap(({ account, differences }) => discrepancies(account, differences)),
    ...facts.storage.flatMap(({ account, gaps }) => gapsOf(account, gaps)),
  ];
  return all.filter(({ account, packageId }) => isConfigured(facts.config, account, packageId));
}

/** Is the account, and the package where one is named, in the config in force? */
export function isConfigured(
  { accounts }: AlertInputs['config'],
  account: string | null,
  packageId: number | null,
): boolean {
  if (account === null) return true;
  const found = accounts.find(({ name }) => name === account);
  return found !== undefined && (packageId === null || found.packages.some(({ id }) => id === packageId));
}

/** `main/101 (Lectures)`. */
export function nameIn(
  { accounts }: AlertInputs['config'],
  account: string | null,
  packageId: number,
): string {
  const packages = accounts.find(({ name }) => name === account)?.packages;
  const name = packages?.find(({ id }) => id === packageId)?.name ?? null;
  return `${account ?? ''}/${packageId}${name === null ? '' : ` (${short(name, 60)})`}`;
}

/** It lasts until the full rate is back: a service that restricts again meanwhile is no news. */
function restricted({
  account,
  until,
  reason,
  since,
  full_rate_at: back_at,
  isInForce,
}: AlertInputs['pauses'][number]): ActiveProblem {
  const words = isInForce ? 'is paused until' : 'was paused until';
  const text = `account ${account} ${words} ${until} UTC, its full rate is back at ${back_at} UTC: ${short(reason)}`;
  return {
    event: 'restricted',
    account,
    packageId: null,
    text,
    details: { until, back_at, reason },
    since,
    mayBegin: isInForce,
  };
}

/** Where packages or storage failed in it, they say why; it lasts all the same, until a run does better. */
function failedRuns({ failedRun: run, failedStorage }: AlertInputs): ActiveProblem[] {
  if (!run) return [];
  const error = run.error ?? 'nothing says why';
  return [
    {
      event: 'failed',
      account: null,
      packageId: null,
      text: `run ${run.run_id} over everything failed: ${short(error)}`,
      details: { run_id: run.run_id, error },
      since: run.since,
      mayBegin: run.walks === 0 && !isOnlyStorage(error, failedStorage),
    },
  ];
}

/** What a run says of each of its failures: sync/run.ts puts them one behind the other. */
const partsOf = (error: string) => error.split(/; (?=(?:the budget of )?account )/);
const storageOf = (account: string) => `account ${account}, storage `;

function isOnlyStorage(error: string, failures: AlertInputs['failedStorage']): boolean {
  return partsOf(error).every((part) => failures.some(({ account }) => part.startsWith(storageOf(account))));
}

function storageFailed({ account, error: all, since }: AlertInputs['failedStorage'][number]): ActiveProblem {
  const prefix = storageOf(account);
  const error =
    partsOf(all)
      .find((part) => part.startsWith(prefix))
      ?.slice(prefix.length) ?? all;
  const text = `storage of ${account} failed: ${short(error)}`;
  const details = { stream: 'storage', error };
  return { event: 'failed', account, packageId: null, text, details, since, mayBegin: true };
}

function failed(row: AlertInputs['failedWalks'][number], name: string): ActiveProblem {
  const { account, package_id: packageId, walk_id, failures, since } = row;
  const error = withoutName(row.error ?? 'nothing says why', `account ${account}, package ${packageId}`);
  const details = { error, walk_id, failures };
  const text = `${name} failed: ${short(error)}`;
  return { event: 'failed', account, packageId, text, details, since, mayBegin: true };
}

/** Errors of requests begin with what was asked for, which the sentence names already. */
function withoutName(error: string, name: string): string {
  const isNamed = error.startsWith(`${name}, `) || error.startsWith(`${name}: `);
  return isNamed ? error.slice(name.length + 2) : error;
}

function stale({ account, stream, packageId, at }: Stream, facts: AlertInputs): ActiveProblem {
  const name = packageId === null ? `storage of ${account}` : nameIn(facts.config, account, packageId);
  const [never, last] =
    packageId === null ? ['was never read', 'last read'] : ['was never walked whole', 'last walked whole'];
  const text = at === null ? `${name} ${never}` : `${name} is stale: ${last} at ${at} UTC`;
  return {
    event: 'stale',
    account,
    packageId,
    text,
    details: { stream, last_read_at: at },
    since: at ?? facts.watchedSince,
    mayBegin: at !== null || (facts.isOverdue && !facts.isRunning),
  };
}

function heldBack(row: AlertInputs['heldBack'][number], name: string): ActiveProblem {
  const { account, package_id: packageId, removals, since, reasons, command } = row;
  const held = pluralize(removals, 'removal');
  const text = `${name}: ${held} held back, ${formatHeldReason(reasons)}; to let exactly these through: ${command}`;
  const details = { removals, reasons, command };
  return { event: 'held_back', account, packageId, text, details, since, mayBegin: true };
}

function discrepancies(
  account: string,
  rows: AlertInputs['storage'][number]['differences'],
): ActiveProblem[] {
  const [since] = rows.map((row) => row.since).sort();
  if (since === undefined) return [];
  const days = [...new Set(rows.map(({ date }) => date))];
  const booked = pluralize(days.length, 'booked day');
  const differences = rows
    .slice(0, MOST)
    .map(({ date, field, booked: stored, observed }) => ({ date, field, booked: stored, observed }));
  return [
    {
      event: 'discrepancy',
      account,
      packageId: null,
      text: `storage of ${account}: the service now reports other figures for ${booked} (${listed(days)}); the booked rows stand`,
      details: { count: rows.length, differences },
      since,
      mayBegin: true,
    },
  ];
}

function gapsOf(account: string, gaps: AlertInputs['storage'][number]['gaps']): ActiveProblem[] {
  const [since] = gaps.map((gap) => gap.since).sort();
  if (since === undefined) return [];
  const days = gaps.map(({ date }) => date);
  return [
    {
      event: 'gap',
      account,
      packageId: null,
      text: `storage of ${account}: the service did not serve ${pluralize(days.length, 'day')} yet (${listed(days)})`,
      details: { count: days.length, days: days.slice(0, MOST) },
      since,
      mayBegin: true,
    },
  ];
}

/** The first few, and how many more there are. */
export function listed(words: readonly (string | number)[]): string {
  const left = words.length - 3;
  const more = left > 0 ? [`${left} more`] : [];
  return [...words.slice(0, 3), ...more].join(', ');
}

/** Of a text that others wrote, as much as a sentence takes, on one line. */
export function short(text: string, columns = LONGEST): string {
  return truncate(escapeControls(text.replaceAll(/\s+/g, ' ').trim()), columns);
}
