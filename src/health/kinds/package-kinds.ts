/** Problems of one package: it failed, was never read, is stale, incomplete, unordered, or has removals held back. */
import type { HeldReason } from '../../database/schema/videos.ts';
import { pluralize, truncate } from '../../lib/format.ts';
import { packageNames } from '../commands.ts';
import type { HealthFacts } from '../facts.ts';
import type { Stream } from '../streams.ts';
import { defineKind, STORAGE_PART } from '../problem.ts';
import { formatPackage, limitDetails, toOneLine, withoutSubject } from '../text.ts';

const HELD_REASONS: Record<HeldReason, string> = {
  many: 'too many at once',
  all: 'all videos of the package at once',
  order: 'the list was out of order before',
};

/** Why removals are held back. */
export function formatHeldReason(reasons: readonly HeldReason[]): string {
  return reasons.map((reason) => HELD_REASONS[reason]).join('; ');
}

export const CONFIRMATION_HINT =
  'They are removed automatically once another full walk (at least one schedule later) confirms them.';

const NEVER_READ_HINT =
  'it was never read: if its id is wrong, correct it in the config or take it out; else the next run tries again';

interface PackageRow {
  account: string;
  package_id: number;
}

/** Joins rows with the packages of the config: their scope, and their name in sentences. */
function joinPackages<Row extends PackageRow>(rows: readonly Row[], { packages }: HealthFacts) {
  const keyOf = ({ account, package_id: id }: PackageRow) => `${account}/${id}`;
  const reports = new Map(packages.map((row) => [keyOf(row), row]));
  return rows.flatMap((row) => {
    const report = reports.get(keyOf(row));
    if (!report) return [];
    const { account, package_id: packageId } = row;
    const name = formatPackage(account, packageId, report.name);
    return { ...row, scope: { account, packageId }, name, isRead: report.walked_at !== null };
  });
}

const failed = defineKind({
  kind: 'failed',
  when: 'the last full walk of a package failed',
  event: 'failed',
  severity: 'bad',
  role: 'failure',
  place: 'package',
  find: (facts) =>
    joinPackages(facts.failedWalks, facts).map((row) => ({
      ...row,
      error: withoutSubject(
        row.error ?? 'no error was stored',
        `account ${row.account}, package ${row.package_id}`,
      ),
      nextTry: facts.nextRunAt,
    })),
  message: ({ name, error }) => `${name} failed: ${toOneLine(error)}`,
  advice: ({ isRead }) => (isRead ? [] : [{ text: NEVER_READ_HINT, command: null }]),
  fields: ({ error, walk_id, failures }) => ({ error, walk_id, failures }),
  resolved: ({ subject }) => `${subject} no longer fails`,
  state: () => 'last walk failed',
  grouped: { text: 'failed in their last full walk', over: 'no longer fail' },
});

/** Streams without any read, or that are stale, for sentences. */
function findStreams({ streams, nextRunAt }: HealthFacts, isWanted: (stream: Stream) => boolean) {
  return streams.filter(isWanted).map((row) => {
    const { account, packageId, name, at } = row;
    return {
      ...row,
      scope: packageId === null ? { account, part: STORAGE_PART } : { account, packageId },
      since: at,
      subject: packageId === null ? `storage of ${account}` : formatPackage(account, packageId, name),
      nextTry: nextRunAt,
    };
  });
}

const neverRead = defineKind({
  kind: 'never_read',
  when: 'a package or storage was never read, two ticks after the worker began',
  event: 'stale',
  severity: 'bad',
  role: 'effect',
  place: 'package',
  find: (facts) => {
    const selectorOf = packageNames(facts.config.accounts);
    return findStreams(facts, ({ at }) => at === null).map((row) => ({
      ...row,
      option:
        row.packageId === null
          ? '--storage'
          : `--package ${selectorOf({ account: row.account, package_id: row.packageId })}`,
      isFading: !facts.isFirstReadDue,
    }));
  },
  message: ({ subject, packageId }) =>
    `${subject} ${packageId === null ? 'was never read' : 'is not synced yet'}`,
  advice: ({ option }, formatCommand) => [{ text: null, command: formatCommand(`sync ${option}`) }],
  fields: ({ stream, at }) => ({ stream, last_read_at: at }),
  resolved: ({ subject }) => `${subject} was read`,
  state: () => 'not synced yet',
  grouped: { text: 'are not synced yet', over: 'were read' },
});

const stale = defineKind({
  kind: 'stale',
  when: 'a package or storage was last read completely more than two ticks ago',
  event: 'stale',
  severity: 'bad',
  role: 'effect',
  place: 'package',
  find: (facts) => findStreams(facts, ({ at, isStale }) => at !== null && isStale),
  message: ({ subject, packageId, at }) =>
    `${subject} is stale: ${packageId === null ? 'last read' : 'last full walk'} at ${at ?? ''} UTC`,
  fields: ({ stream, at }) => ({ stream, last_read_at: at }),
  resolved: ({ subject }) => `${subject} is fresh again`,
  state: () => 'stale',
  grouped: { text: 'are stale', over: 'are fresh again' },
});

const partial = defineKind({
  kind: 'partial',
  when: 'the last full walk of a package did not read every page',
  event: 'partial',
  severity: 'attention',
  role: 'failure',
  place: 'package',
  find: (facts) =>
    joinPackages(facts.partialWalks, facts).map((row) => ({
      ...row,
      error: row.error ?? 'no error was stored',
    })),
  message: ({ name, error }) => `${name}: the last full walk is incomplete: ${toOneLine(error)}`,
  fields: ({ error, walk_id }) => ({ error, walk_id }),
  resolved: ({ subject }) => `${subject}: its last full walk is no longer incomplete`,
  state: () => 'last walk partial',
  grouped: { text: 'were not read completely by their last full walk', over: 'are no longer incomplete' },
});

type HeldFinding = HealthFacts['held_back'][number] & { name: string };

const formatHeld = ({ name, removals, reasons }: HeldFinding) =>
  `${name}: ${pluralize(removals, 'removal')} held back, ${formatHeldReason(reasons)}`;

const heldBack = defineKind<HeldFinding>({
  kind: 'held_back',
  when: 'removals of a package wait for a second proof, or for a person',
  event: 'held_back',
  severity: 'attention',
  place: 'package',
  find: (facts) => joinPackages(facts.held_back, facts),
  message: formatHeld,
  alertText: (row) => `${formatHeld(row)}; to accept exactly these: ${row.command}`,
  details: ({ examples, removals, since }) => [
    ...limitDetails(
      examples.map(({ id, title }) => `${id}  ${truncate(title ?? '', 60)}`),
      removals,
    ),
    `first held back at ${since} UTC`,
  ],
  advice: ({ command }) => [
    { text: CONFIRMATION_HINT, command: null },
    { text: 'to accept exactly these', command },
  ],
  fields: ({ removals, reasons, command }) => ({ removals, reasons, command }),
  resolved: ({ subject }) => `${subject}: no removal is held back any more`,
  state: ({ removals }) => `${pluralize(removals, 'removal')} held back`,
  grouped: { text: 'have removals that are held back', over: 'have no removals held back any more' },
});

/** One page has the complete list, which proves removals in any order. */
const unordered = defineKind({
  kind: 'unordered',
  when: 'a package is not listed in order of ids: its removals wait for proof',
  event: 'unordered',
  severity: 'attention',
  place: 'package',
  find: (facts) =>
    joinPackages(facts.packages, facts)
      .filter(({ order, pages }) => order === 'untrusted' && (pages === null || pages > 1))
      .map((row) => ({ ...row, since: row.walked_at })),
  message: ({ name }) =>
    `${name} is not listed in order of ids: its videos are stored, its removals wait for proof`,
  resolved: ({ subject }) => `${subject} is listed in order of ids again`,
  state: () => 'not ordered by id',
  grouped: { text: 'are not listed in order of ids', over: 'are listed in order of ids again' },
});

export const PACKAGE_KINDS = [failed, neverRead, stale, partial, heldBack, unordered];
