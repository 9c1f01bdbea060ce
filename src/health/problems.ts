/** What of the facts needs a person: what it is in words, and what to look at and to type. */
import type { Config } from '../config/config.ts';
import { createCalendar } from '../lib/calendar.ts';
import { addDays } from '../lib/days.ts';
import { fromTimestamp } from '../lib/clock.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import { HIDDEN } from '../queries/named/videos.ts';
import { clockNeeds, discrepancyNeeds, waitingNeeds } from './fact-problems.ts';
import { manyAsOne, only, packageNeeds } from './package-problems.ts';
import { CONFIRMATION_HINT, formatHeldReason } from './held-back.ts';
import type {
  BudgetStanding,
  DriftReport,
  HeldBackReport,
  PackageReport,
  QuarantineReport,
  Standing,
} from './report.ts';
import { packageNames, type FormatCommand } from './commands.ts';
import { formatAgo, formatCount, pluralize, formatDuration, truncate } from '../lib/format.ts';

export interface Need {
  words: string;
  /** Lines below it: examples, as the service may have written them. */
  details: string[];
  /** What to do, or what comes by itself; with what to type where something is to be typed. */
  advice: Advice[];
  /** A run that is under way is about to see to it. */
  isFirstRead?: true;
}

export interface Advice {
  /** A part of a sentence; null where the command says it all. */
  words: string | null;
  command: string | null;
}

interface Surroundings {
  config: Config;
  overview: StatusQueries;
  now: number;
  typed: FormatCommand;
}

/** Of the days booked this long ago and later, most must agree with what the service says now. */
const DISCREPANCY_DAYS = 14;
/** Drift that was first seen this long ago, in milliseconds, is news no more. */
const NEWS_MS = 7 * 86_400_000;

/** What needs a person: the packages first. */
export function needsOf(facts: Omit<Standing, 'needs'>, surroundings: Surroundings): Need[] {
  const { now, typed, config } = surroundings;
  const nameOf = packageNames(config.accounts);
  const since = (timestamp: string) => formatAgo(now - fromTimestamp(timestamp));
  const needs = [
    ...facts.budgets.flatMap((row) => pauseNeeds(row, { now, typed })),
    ...parkedNeeds(facts, surroundings),
    ...manyAsOne(
      facts.packages.flatMap((row) => [
        ...packageNeeds(row, typed(`sync --package ${nameOf(row)}`)),
        ...facts.held_back.filter((held) => isOf(held, row)).map((held) => heldBackNeed(held, since)),
      ]),
    ),
    ...clockNeeds(facts, surroundings),
    ...storageNeeds(facts.storage, surroundings),
    ...facts.storage.flatMap((row) => [...waitingNeeds(row, since), ...discrepancyNeeds(row, since, typed)]),
    ...publishedNeeds(facts, surroundings),
    ...facts.quarantine.map((row) => quarantineNeed(row, since)),
    ...facts.drift
      .filter((row) => fromTimestamp(row.first_seen_at) > now - NEWS_MS)
      .map((row) => only(`${driftWords(row)} (first seen ${since(row.first_seen_at)})`)),
  ];
  return needs.length > 0 ? needs : failedNeeds(facts);
}

/** Where nothing else says why. */
function failedNeeds({ runs: [last] }: Omit<Standing, 'needs'>): Need[] {
  if (last?.status !== 'failed') return [];
  return [only(`run ${last.run_id} failed: ${truncate(last.error ?? '', 200)}`)];
}

type Since = (timestamp: string) => string;

function isOf(one: { account: string; package_id: number }, other: PackageReport): boolean {
  return one.account === other.account && one.package_id === other.package_id;
}

/** It ends by itself; but whoever asks as before will be restricted again. */
function pauseNeeds(
  { account, pause }: BudgetStanding,
  { now, typed }: Pick<Surroundings, 'now' | 'typed'>,
): Need[] {
  if (!pause?.in_force) return [];
  const left = formatDuration(fromTimestamp(pause.until) - now);
  return [
    {
      words: `account ${account} is paused until ${pause.until} UTC (${left} more): ${truncate(pause.reason, 200)}`,
      details: [],
      advice: [
        {
          words: 'a worker goes on by itself; where this happens again, lower its limits',
          command: typed('plan'),
        },
      ],
    },
  ];
}

/** Where a pause is the reason, that was said. */
function parkedNeeds({ runs, budgets }: Omit<Standing, 'needs'>, { now, typed }: Surroundings): Need[] {
  const [last] = runs;
  const isWaiting = last?.resume_at && fromTimestamp(last.resume_at) > now;
  if (!isWaiting || budgets.some(({ pause }) => pause?.in_force)) return [];
  return [
    {
      words: `run ${last.run_id} is parked until ${last.resume_at} UTC: ${truncate(last.error ?? '', 200)}`,
      details: [],
      advice: [{ words: 'a worker goes on by itself; without one, from then on', command: typed('sync') }],
    },
  ];
}

function heldBackNeed(held: HeldBackReport, since: Since): Need {
  const name = `${held.account}/${held.package_id}`;
  const left = held.removals - held.examples.length;
  return {
    words: `${name} holds ${pluralize(held.removals, 'removal')} back: ${formatHeldReason(held.reasons)} (the first ${since(held.since)})`,
    details: [
      ...held.examples.map(({ id, title }) => `${id}  ${truncate(title ?? '', 60)}`),
      ...(left > 0 ? [`and ${formatCount(left)} more`] : []),
    ],
    advice: [
      { words: CONFIRMATION_HINT, command: null },
      { words: 'to let exactly these through', command: held.command },
    ],
  };
}

function storageNeeds(storage: Standing['storage'], { config, overview, now, typed }: Surroundings): Need[] {
  const since = addDays(createCalendar(config.timezone).dayAt(now), -DISCREPANCY_DAYS);
  return storage.flatMap((report) => {
    const name = `storage of ${report.account}`;
    const { booked, differing } = overview.storage(report.account, since);
    const needs: string[] = [];
    const unread = `${name} was never read: ${typed('sync --storage')}`;
    const first = report.read_at === null ? [{ ...only(unread), isFirstRead: true as const }] : [];
    if (report.read_at !== null && report.stale)
      needs.push(`${name} is stale: last read at ${report.read_at} UTC`);
    if (report.gaps > 0)
      needs.push(
        `${name} has ${pluralize(report.gaps, 'day')} that the service did not serve, or not completely`,
      );
    if (differing * 2 > booked && booked > 1) {
      needs.push(
        `${name}: ${differing} of ${booked} booked days differ from what the service says now; check timezone and settle in the config`,
      );
    }
    return [...first, ...needs.map(only)];
  });
}

/** A worker publishes right after a run: so long after it, something is wrong, or nobody does. */
const PUBLISHED_LATE_MS = 2 * 60_000;

function publishedNeeds(
  { published, runs }: Omit<Standing, 'needs'>,
  { config, now, typed }: Surroundings,
): Need[] {
  const ended = runs[0]?.finished_at;
  if (!published?.behind || !ended || fromTimestamp(ended) > now - PUBLISHED_LATE_MS) return [];
  const at = published.published_at;
  const everyMs = config.publish?.everyMs ?? 0;
  if (at !== null && everyMs > 0 && fromTimestamp(at) + everyMs > now - PUBLISHED_LATE_MS) return [];
  const which =
    at === null
      ? 'is not there'
      : `does not show the last changes: it was made ${formatAgo(now - fromTimestamp(at))}`;
  return [
    {
      words: `the published file ${which}`,
      details: [],
      advice: [{ words: null, command: typed('publish') }],
    },
  ];
}

function quarantineNeed({ account, stream, open, examples }: QuarantineReport, since: Since): Need {
  const left = open - examples.length;
  const ofStream = `account = '${account.replaceAll("'", "''")}' and stream = '${stream}'`;
  return {
    words: `${pluralize(open, 'record')} of ${account} (${stream}) in quarantine`,
    details: [
      ...examples.map(({ record_id: id, package_id: packageId, reason, seen_at: seenAt }) => {
        const where = packageId === null ? '' : ` of package ${packageId}`;
        return `${truncate(id ?? 'without an id', 30)}${where}: ${truncate(reason, 70)} (seen ${since(seenAt)})`;
      }),
      ...(left > 0 ? [`and ${formatCount(left)} more`] : []),
    ],
    advice: [{ words: null, command: `select * from quarantine where ${ofStream} and resolved_at is null` }],
  };
}

function driftWords({ account, stream, field, kind, sample }: DriftReport): string {
  const records = `${stream === 'videos' ? 'videos' : 'storage days'} of ${account}`;
  const name = truncate(field, 60);
  const value = HIDDEN.includes(field) ? 'not shown here' : truncate(sample ?? '', 60);
  return {
    new: `${records} carry a field that is not documented: ${name}, e.g. ${value}`,
    missing: `${records} lack the documented field ${name}`,
    type: `${records} have another type in ${name}: ${value}`,
  }[kind];
}
