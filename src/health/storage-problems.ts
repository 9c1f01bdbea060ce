/** Problems of storage: failed readings, gaps, days that wait, and booked days that the service changed. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, pluralize } from '../lib/format.ts';
import type { HealthFacts, StorageDetails, StorageReport } from './facts.ts';
import { withoutSubject } from './package-problems.ts';
import { createProblem, listFirst, toOneLine, type Problem } from './problem-kinds.ts';

/** Days that a message of status shows, and days or fields that an alert lists. */
const EXAMPLES = 5;
const MAX_LISTED = 100;

/** The problems of the storage of all accounts. */
export function findStorageProblems(facts: HealthFacts): Problem[] {
  return [
    ...facts.storageDetails.flatMap((row) => [
      ...findFailure(row),
      ...findGaps(row),
      ...findWrongTimeZone(row),
      ...findDiscrepancies(row, facts),
    ]),
    ...facts.storage.flatMap((row) => findWaitingDays(row, facts.now)),
  ];
}

function findFailure({ account, failure }: StorageDetails): Problem[] {
  if (!failure || failure.isReadSince) return [];
  const error = withoutSubject(failure.error, `account ${account}, storage`);
  return [
    createProblem({
      kind: 'failed',
      scope: { account, packageId: null },
      since: failure.since,
      message: `storage of ${account} failed: ${toOneLine(error)}`,
      fields: { stream: 'storage', error },
    }),
  ];
}

function findGaps({ account, gaps }: StorageDetails): Problem[] {
  if (gaps.length === 0) return [];
  const days = gaps.map(({ date }) => date);
  return [
    createProblem({
      kind: 'gap',
      scope: { account, packageId: null },
      since: findFirst(gaps),
      message: `storage of ${account}: the service did not serve ${pluralize(days.length, 'day')} yet (${listFirst(days)})`,
      fields: { count: days.length, days: days.slice(0, MAX_LISTED) },
    }),
  ];
}

/** When most days differ, they were booked by the wrong calendar or too early. */
function findWrongTimeZone({
  account,
  differences,
  recent: { booked, differing },
}: StorageDetails): Problem[] {
  if (booked <= 1 || differing * 2 <= booked) return [];
  const message = `storage of ${account}: ${differing} of ${booked} booked days differ from what the service reports now; check timezone and settle in the config`;
  const since = findFirst(differences);
  const fields = { booked, differing };
  return [createProblem({ kind: 'time_zone', scope: { account, packageId: null }, since, message, fields })];
}

function findDiscrepancies(
  { account, differences }: StorageDetails,
  { storage, formatCommand, now }: HealthFacts,
) {
  const days = [...new Set(differences.map(({ date }) => date))];
  const [oldest, newest] = [days[0], days.at(-1)];
  if (oldest === undefined || newest === undefined) return [];
  const rows = storage.find((row) => row.account === account)?.discrepancies ?? [];
  return [
    createProblem({
      kind: 'discrepancy',
      scope: { account, packageId: null },
      since: findFirst(differences),
      message: `storage of ${account}: the service now reports other figures for ${pluralize(days.length, 'booked day')} (${listFirst(days)}); the booked rows do not change`,
      details: formatFirst(
        rows,
        ({ date, fields, since }) =>
          `${date}  ${pluralize(fields, 'figure')} (${formatAgo(now - fromTimestamp(since))})`,
      ),
      advice: [
        { text: "to take the service's figures", command: formatCommand(`correct ${account} ${newest}`) },
        {
          text: 'to compare again',
          command: formatCommand(`sync --storage --from ${oldest} --to ${newest}`),
        },
      ],
      fields: {
        count: differences.length,
        differences: differences
          .slice(0, MAX_LISTED)
          .map(({ date, field, booked, observed }) => ({ date, field, booked, observed })),
      },
    }),
  ];
}

/** Days whose figures are implausible. */
function findWaitingDays({ account, waiting }: StorageReport, now: number): Problem[] {
  if (waiting.length === 0) return [];
  const verb = waiting.length === 1 ? 'waits' : 'wait';
  return [
    createProblem({
      kind: 'unconfirmed',
      scope: { account, packageId: null },
      since: findFirst(waiting),
      message: `storage of ${account}: ${pluralize(waiting.length, 'day')} ${verb} for a second reading`,
      details: formatFirst(waiting, ({ date, reason, since }) => {
        const text = reason ?? 'the service has not returned a later day';
        return `${date}  ${text} (${formatAgo(now - fromTimestamp(since))})`;
      }),
      advice: [
        { text: 'a run at least an hour later books a day whose figures are the same', command: null },
      ],
      fields: {
        count: waiting.length,
        days: waiting.slice(0, MAX_LISTED).map(({ date, reason }) => ({ date, reason })),
      },
    }),
  ];
}

function findFirst(rows: readonly { since: string }[]): string | null {
  return rows.map(({ since }) => since).sort()[0] ?? null;
}

function formatFirst<Row>(rows: readonly Row[], format: (row: Row) => string): string[] {
  const left = rows.length - EXAMPLES;
  return [...rows.slice(0, EXAMPLES).map(format), ...(left > 0 ? [`and ${left} more`] : [])];
}
