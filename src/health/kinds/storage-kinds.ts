/** Problems of storage: failed readings, gaps, days that wait, and booked days that the service changed. */
import { pluralize } from '../../lib/format.ts';
import type { HealthFacts } from '../facts.ts';
import { defineKind, STORAGE_PART } from '../problem.ts';
import { findEarliest, limitDetails, listFirst, MAX_LISTED, toOneLine, withoutSubject } from '../text.ts';

const scopeOf = ({ account }: { account: string }) => ({ account, part: STORAGE_PART });

const storageFailed = defineKind({
  kind: 'storage_failed',
  when: 'the storage of an account failed in the last run that read it',
  event: 'failed',
  severity: 'bad',
  role: 'failure',
  place: 'storage',
  find: ({ storageDetails, nextRunAt: nextTry }) =>
    storageDetails.flatMap(({ account, failure }) =>
      failure && !failure.isReadSince
        ? {
            ...{ scope: scopeOf({ account }), account, since: failure.since, nextTry },
            error: withoutSubject(failure.error, `account ${account}, storage`),
          }
        : [],
    ),
  message: ({ account, error }) => `storage of ${account} failed: ${toOneLine(error)}`,
  fields: ({ error }) => ({ stream: 'storage', error }),
  resolved: ({ subject }) => `${subject} no longer fails`,
});

const gap = defineKind({
  kind: 'gap',
  when: 'the service did not serve days of an account yet, or not completely',
  event: 'gap',
  severity: 'attention',
  place: 'storage',
  find: ({ storageDetails }) =>
    storageDetails
      .filter(({ gaps }) => gaps.length > 0)
      .map(({ account, gaps }) => ({
        ...{ scope: scopeOf({ account }), account, since: findEarliest(gaps) },
        days: gaps.map(({ date }) => date),
      })),
  message: ({ account, days }) =>
    `storage of ${account}: the service did not serve ${pluralize(days.length, 'day')} yet (${listFirst(days)})`,
  fields: ({ days }) => ({ count: days.length, days: days.slice(0, MAX_LISTED) }),
  resolved: ({ subject }) => `${subject}: no day is missing any more`,
});

/** When most days differ, they were booked by the wrong calendar or too early. */
const timeZone = defineKind({
  kind: 'time_zone',
  when: 'most of the last 14 booked days differ from what the service reports now',
  event: 'time_zone',
  severity: 'attention',
  place: 'storage',
  find: ({ storageDetails }) =>
    storageDetails
      .filter(({ recent: { booked, differing } }) => booked > 1 && differing * 2 > booked)
      .map(({ account, recent, differences }) => ({
        ...{ scope: scopeOf({ account }), account, recent, since: findEarliest(differences) },
      })),
  message: ({ account, recent: { booked, differing } }) =>
    `storage of ${account}: ${differing} of ${booked} booked days differ from what the service reports now; check timezone and settle in the config`,
  fields: ({ recent }) => recent,
  resolved: ({ subject }) => `${subject}: most booked days no longer differ`,
});

/** Days whose figures are implausible. */
const unconfirmed = defineKind({
  kind: 'unconfirmed',
  when: 'implausible figures of days wait for a second reading',
  event: 'unconfirmed',
  severity: 'attention',
  place: 'storage',
  find: ({ storage }) =>
    storage
      .filter(({ waiting }) => waiting.length > 0)
      .map((row) => ({ ...row, scope: scopeOf(row), since: findEarliest(row.waiting) })),
  message: ({ account, waiting }) =>
    `storage of ${account}: ${pluralize(waiting.length, 'day')} ${waiting.length === 1 ? 'waits' : 'wait'} for a second reading`,
  details: ({ waiting }) =>
    limitDetails(
      waiting.map(
        ({ date, reason, since }) =>
          `${date}  ${reason ?? 'the service has not returned a later day'} (since ${since} UTC)`,
      ),
    ),
  advice: () => [
    { text: 'a run at least an hour later books a day whose figures are the same', command: null },
  ],
  fields: ({ waiting }) => ({
    count: waiting.length,
    days: waiting.slice(0, MAX_LISTED).map(({ date, reason }) => ({ date, reason })),
  }),
  resolved: ({ subject }) => `${subject}: no day waits for a second reading any more`,
});

const discrepancy = defineKind({
  kind: 'discrepancy',
  when: 'the service reports other figures for booked days',
  event: 'discrepancy',
  severity: 'attention',
  place: 'storage',
  find: (facts) =>
    facts.storageDetails
      .filter(({ differences }) => differences.length > 0)
      .map((row) => toDiscrepancy(row, facts)),
  message: ({ account, days }) =>
    `storage of ${account}: the service now reports other figures for ${pluralize(days.length, 'booked day')} (${listFirst(days)}); the booked rows do not change`,
  details: ({ rows }) =>
    limitDetails(
      rows.map(({ date, fields, since }) => `${date}  ${pluralize(fields, 'figure')} (since ${since} UTC)`),
    ),
  advice: ({ account, days }, formatCommand) => [
    {
      text: "to take the service's figures",
      command: formatCommand(`correct ${account} ${days.at(-1) ?? ''}`),
    },
    {
      text: 'to compare again',
      command: formatCommand(`sync --storage --from ${days[0] ?? ''} --to ${days.at(-1) ?? ''}`),
    },
  ],
  fields: ({ differences }) => ({
    count: differences.length,
    differences: differences
      .slice(0, MAX_LISTED)
      .map(({ date, field, booked, observed }) => ({ date, field, booked, observed })),
  }),
  resolved: ({ subject }) => `${subject}: no booked day differs any more`,
});

function toDiscrepancy(
  { account, differences }: HealthFacts['storageDetails'][number],
  { storage }: HealthFacts,
) {
  return {
    ...{ scope: scopeOf({ account }), account, differences, since: findEarliest(differences) },
    days: [...new Set(differences.map(({ date }) => date))],
    rows: storage.find((row) => row.account === account)?.discrepancies ?? [],
  };
}

export const STORAGE_KINDS = [storageFailed, gap, timeZone, unconfirmed, discrepancy];
