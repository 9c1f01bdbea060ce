/** Problems of storage: days that are missing or wait, and booked days that the service changed. */
import { pluralize } from '../../lib/format.ts';
import { advise, storageScope, type Kind } from '../problem.ts';
import { findEarliest, limitDetails, listFirst, MAX_LISTED } from '../text.ts';

/** Also days whose implausible figures wait for a second reading. */
const gap: Kind = {
  kind: 'gap',
  when: [
    'the service did not serve days of an account yet, or not completely',
    'implausible figures of days wait for a second reading',
  ],
  severity: 'attention',
  find: ({ storageDetails, storage }) =>
    storageDetails.flatMap(({ account, gaps }) => {
      const waiting = storage.find((row) => row.account === account)?.waiting ?? [];
      const missing = gaps.map(({ date }) => date);
      const days = [...missing, ...waiting.map(({ date }) => date)];
      if (days.length === 0) return [];
      const parts = [
        ...(missing.length > 0
          ? [`the service did not serve ${pluralize(missing.length, 'day')} yet (${listFirst(missing)})`]
          : []),
        ...(waiting.length > 0 ? [`${pluralize(waiting.length, 'day')} to be read a second time`] : []),
      ];
      return {
        ...{ scope: storageScope(account), since: findEarliest([...gaps, ...waiting]) },
        message: `storage of ${account}: ${parts.join('; ')}`,
        details: limitDetails(
          waiting.map(
            ({ date, reason, since }) =>
              `${date}  ${reason ?? 'the service has not returned a later day'} (since ${since} UTC)`,
          ),
        ),
        advice:
          waiting.length > 0
            ? [advise('a run at least an hour later books a day whose figures are the same')]
            : [],
        fields: {
          ...{ count: days.length, days: days.slice(0, MAX_LISTED) },
          waiting: waiting.slice(0, MAX_LISTED).map(({ date, reason }) => ({ date, reason })),
        },
      };
    }),
  resolved: ({ subject }) => `${subject}: no day is missing any more`,
};

/** Where most of the last booked days differ, they were booked by the wrong calendar or too early. */
const discrepancy: Kind = {
  kind: 'discrepancy',
  when: ['the service reports other figures for booked days'],
  severity: 'attention',
  find: ({ storageDetails, storage, formatCommand }) =>
    storageDetails.flatMap(({ account, differences, recent: { booked, differing } }) => {
      if (differences.length === 0) return [];
      const days = [...new Set(differences.map(({ date }) => date))];
      const [first = '', last = ''] = [days[0], days.at(-1)];
      const rows = storage.find((row) => row.account === account)?.discrepancies ?? [];
      const areMost = booked > 1 && differing * 2 > booked;
      return {
        ...{ scope: storageScope(account), since: findEarliest(differences) },
        message: `storage of ${account}: the service now reports other figures for ${pluralize(days.length, 'booked day')} (${listFirst(days)}); the booked rows do not change`,
        details: limitDetails(
          rows.map(
            ({ date, fields, since }) => `${date}  ${pluralize(fields, 'figure')} (since ${since} UTC)`,
          ),
        ),
        advice: [
          ...(areMost
            ? [
                advise(
                  `${differing} of the last ${booked} booked days differ: check timezone and settle in the config`,
                ),
              ]
            : []),
          advise("to take the service's figures", formatCommand(`correct ${account} ${last}`)),
          advise('to compare again', formatCommand(`sync --storage --from ${first} --to ${last}`)),
        ],
        fields: {
          ...{ count: differences.length, booked, differing },
          differences: differences
            .slice(0, MAX_LISTED)
            .map(({ date, field, booked, observed }) => ({ date, field, booked, observed })),
        },
      };
    }),
  resolved: ({ subject }) => `${subject}: no booked day differs any more`,
};

export const STORAGE_KINDS = [gap, discrepancy];
