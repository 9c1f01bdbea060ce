/** Problems of packages and of what is read: stale, incomplete, unordered, or with removals held back. */
import type { HeldReason } from '../database/schema/videos.ts';
import { query } from '../database/query.ts';
import { DAY_MS, toTimestamp } from '../lib/clock.ts';
import { formatCount, pluralize, truncate } from '../lib/format.ts';
import type { PackageRow } from '../sync/package-key.ts';
import { formatStream, STREAM_KINDS } from '../sync/streams.ts';
import { lastWalks, PARTIAL_WALKS } from '../queries/named/failures.ts';
import { advise, adviseToAccept } from './advice.ts';
import { packageNames } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import { RUNS_PLACE } from './place.ts';
import { scopeOf, type Finding, type Kind } from './problem.ts';
import {
  formatPackage,
  groupBy,
  joinPackages,
  limitDetails,
  listFirst,
  MAX_LISTED,
  toOneLine,
} from './text.ts';

const HELD_REASONS: Record<HeldReason, string> = {
  many: 'too many at once',
  all: 'all videos of the package at once',
  order: 'the list was out of order before',
};

/** The reasons why removals are held back, in words. */
export function formatHeldReason(reasons: readonly HeldReason[]): string {
  return reasons.map((reason) => HELD_REASONS[reason]).join('; ');
}

const stale: Kind = {
  kind: 'stale',
  when: [
    'a package or storage was last read completely more than two ticks ago, or not in two ticks of the worker',
    'for that time, no run began',
  ],
  severity: 'page',
  explains: ['stale'],
  place: RUNS_PLACE,
  find: (facts) => [...findMissingRun(facts), ...listStale(facts)],
  grouped: 'are stale, or not synced yet',
};

/** If no run has begun for two ticks, no worker is running, or it does not begin any. */
function findMissingRun({ overdueRunSince: since, hasWorker, formatCommand }: HealthFacts): Finding[] {
  if (since === null) return [];
  const advice = hasWorker
    ? advise('to begin one now', formatCommand('sync'))
    : advise('to start the worker', formatCommand('start'));
  const message = `no run has begun since ${since} UTC${hasWorker ? '' : ', and no worker is running'}`;
  return [{ since, message, advice, fields: { last_run_at: since } }];
}

function listStale({
  streams,
  config,
  isFirstReadDue,
  nextRunAt: nextTry,
  formatCommand,
}: HealthFacts): Finding[] {
  const selectorOf = packageNames(config.accounts);
  return streams.flatMap(({ account, packageId, name, stream, at, isStale }) => {
    if (!isStale && at !== null) return [];
    const { lastRead, neverRead } = STREAM_KINDS[stream];
    const subject =
      packageId === null
        ? formatStream({ account, package_id: null, stream })
        : formatPackage(account, packageId, name);
    const scope = scopeOf({ account, stream, packageId });
    const found = { scope, since: at, nextTry, fields: { stream, last_read_at: at } };
    if (at !== null)
      return { ...found, message: `${subject} is stale: ${lastRead} at ${at} UTC`, state: 'stale' };
    const option =
      packageId === null ? `--${stream}` : `--package ${selectorOf({ account, package_id: packageId })}`;
    return {
      ...found,
      isFading: !isFirstReadDue,
      state: 'not synced yet',
      message: `${subject} ${neverRead}`,
      advice: advise('to read it now', formatCommand(`sync ${option}`)),
    };
  });
}

const partial: Kind = {
  kind: 'partial',
  when: ['the last full walk of a package did not read every page'],
  severity: 'ticket',
  explains: ['stale'],
  find: (facts) =>
    joinPackages(facts.read(PARTIAL_WALKS, {}), facts).map(({ scope, since, name, walk_id, error }) => ({
      scope,
      since,
      state: 'last walk partial',
      message: `${name}: the last full walk did not read every page`,
      details: [toOneLine(error)],
      fields: { error, walk_id },
    })),
  grouped: 'were not read completely by their last full walk',
};

const heldBack: Kind = {
  kind: 'held_back',
  when: ['removals of a package wait for a second proof, or for a person'],
  severity: 'ticket',
  find: (facts) =>
    joinPackages(facts.heldBack, facts).map(
      ({ scope, since, name, removals, reasons, examples, command }) => {
        const state = `${pluralize(removals, 'removal')} held back`;
        return {
          scope,
          since,
          state,
          message: `${name}: ${state}, ${formatHeldReason(reasons)}`,
          details: [
            ...limitDetails(
              examples.map(({ id, title }) => `${id}  ${truncate(title ?? '', 60)}`),
              removals,
            ),
            `first held back at ${since} UTC`,
          ],
          advice: adviseToAccept(command),
          fields: { removals, reasons, command },
        };
      },
    ),
  grouped: 'have removals that are held back',
};

/** A package of one page is left out: its page is the complete list, which proves removals in any order. */
const unordered: Kind = {
  kind: 'unordered',
  when: ['a package is not listed in order of ids: its removals wait for proof'],
  severity: 'ticket',
  find: (facts) =>
    joinPackages(facts.packages, facts)
      .filter(({ order, pages }) => order === 'untrusted' && (pages === null || pages > 1))
      .map(({ scope, walked_at: since, name }) => ({
        scope,
        since,
        state: 'not ordered by id',
        message: `${name} is not listed in order of ids: its videos are stored, its removals wait for proof`,
      })),
  grouped: 'are not listed in order of ids',
};

const SHRUNK = query<
  PackageRow & { videos: number; videos_before: number; before: string },
  { week_ago: string }
>(`
with old as (
  select walk_id from walk where run_id <= (select max(run_id) from run where finished_at <= :week_ago)
  order by run_id desc, walk_id desc limit 1)
select p.account, p.package_id, p.totalcount as videos, w.totalcount as videos_before, w.finished_at as before
from package p
join walk w on w.walk_id = (
  select x.walk_id from walk x
  where x.account = p.account and x.package_id = p.package_id and x.mode = 'full' and x.status = 'succeeded'
    and x.walk_id <= (select walk_id from old)
  order by x.walk_id desc limit 1)
where p.retired_at is null and w.totalcount > 0 and p.totalcount * 2 <= w.totalcount`);

/** Many small removals are not held back, as one large removal is. Together they may empty a package. */
const shrunk: Kind = {
  kind: 'shrunk',
  when: ['a package has half the videos of a week ago, or less'],
  severity: 'ticket',
  find: (facts) =>
    joinPackages(facts.read(SHRUNK, { week_ago: toTimestamp(facts.now - 7 * DAY_MS) }), facts).map((row) => {
      const { scope, name, videos, videos_before, before } = row;
      return {
        scope,
        since: null,
        state: 'has shrunk',
        fields: { videos, videos_before },
        message: `${name} has ${pluralize(videos, 'video')}, and had ${formatCount(videos_before)} at ${before} UTC`,
      };
    }),
  grouped: 'have half the videos of a week ago, or less',
};

/** So many full walks in a row each edited more than a tenth of the package and this number of videos. */
const REWRITES = { walks: 3, edits: 20 };

const REWRITTEN = query<
  PackageRow & { edited: number; videos: number; since: string; fields: string | null }
>(`
with recent as (
  select w.* from package p join walk w on w.walk_id in (${lastWalks(`'succeeded'`, REWRITES.walks)})
  where p.retired_at is null),
rewritten as (
  select account, package_id, min(finished_at) as since, max(walk_id) as walk_id
  from recent group by account, package_id
  having sum(edited > max(${REWRITES.edits}, (edited + unchanged) / 10)) = ${REWRITES.walks})
select w.account, w.package_id, w.edited, w.edited + w.unchanged as videos, r.since,
  (select changed_fields from (
    select changed_fields from video v
    where v.account = w.account and v.package_id = w.package_id and v.run_id = w.run_id and v.change = 'edited'
    limit 1000)
    group by changed_fields order by count(*) desc limit 1) as fields
from rewritten r join walk w using (walk_id)`);

/** If a field differs at every read, as a signed address does, each walk stores each video again. */
const rewritten: Kind = {
  kind: 'rewritten',
  when: ['each of the last three full walks of a package edited more than a tenth of its videos'],
  severity: 'ticket',
  find: (facts) => {
    const isUndocumented = ({ stream, kind }: HealthFacts['drift'][number]) =>
      stream === 'videos' && kind === 'new';
    const undocumented = groupBy(facts.drift.filter(isUndocumented), ({ account }) => account);
    return joinPackages(facts.read(REWRITTEN, {}), facts).map((row) => {
      const { account, scope, since, name, edited, videos } = row;
      const extra = (undocumented.get(account) ?? []).map(({ field }) => truncate(field, 60));
      const changed = (row.fields ?? '').split(' ').filter((field) => field !== '');
      const fields = changed.flatMap((field) => (field === 'extra' ? extra.slice(0, MAX_LISTED) : field));
      const what = fields.length === 0 ? 'many videos' : `${listFirst(fields)} of many videos`;
      const exclude = `video_list: { exclude: [${fields.join(', ')}] }`;
      return {
        scope,
        since,
        state: 'edited by each walk',
        fields: { edited, videos, fields },
        message: `${name}: the last three full walks each edited ${what}`,
        advice: advise(
          `each edit is kept for ever; where a field differs at every read, leave it out in the config: ${exclude}`,
        ),
      };
    });
  },
  grouped: 'have many videos edited by each full walk',
};

export const PACKAGE_KINDS = [stale, partial, heldBack, unordered, shrunk, rewritten];
