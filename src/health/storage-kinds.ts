/** Problems of storage: days that are missing or wait, and booked days that the service changed. */
import { query } from '../database/query.ts';
import { createCalendar } from '../lib/calendar.ts';
import { fromTimestamp, HOUR_MS, toTimestamp } from '../lib/clock.ts';
import { addDays } from '../lib/days.ts';
import { pluralize } from '../lib/format.ts';
import { advise } from './advice.ts';
import { DIFFERENCES, OPEN_GAPS } from '../queries/named/failures.ts';
import { STORAGE } from '../queries/named/storage.ts';
import type { HealthFacts } from './facts.ts';
import type { Kind } from './problem.ts';
import { findEarliest, limitDetails, listFirst, MAX_LISTED } from './text.ts';

/** The live days of an account, and when each was first read. A day that is a gap is left out. */
const LIVE_DAYS = query<{ date: string; first_read_at: string }, { account: string }>(`
select date, min(r.observed_at) as first_read_at
from storage_day join storage_reading r using (account, date)
where account = :account and state = 'live'
  and date not in (select g.date from storage_gap g where g.account = :account)
group by date`);

type StorageReport = HealthFacts['storage'][number];

const findConfig = ({ config }: HealthFacts, account: string) =>
  config.accounts.find(({ name }) => name === account)?.storage;

/** Finds live days that should have been settled two hours ago, but are still in progress at the service. */
function findLateDays(facts: HealthFacts, { account, read_at: readAt }: StorageReport) {
  const { timezone } = facts.config;
  const { startOf } = createCalendar(timezone);
  const settleMs = findConfig(facts, account)?.settleMs ?? 0;
  return facts.read(LIVE_DAYS, { account }).flatMap(({ date, first_read_at }) => {
    const endsAt = startOf(addDays(date, 1));
    const hours = Math.floor((fromTimestamp(readAt ?? '') - endsAt) / HOUR_MS);
    const atMost = Math.floor((fromTimestamp(first_read_at) - startOf(date)) / HOUR_MS);
    if (hours < 2 + settleMs / HOUR_MS || fromTimestamp(first_read_at) >= endsAt) return [];
    const lag = `${atMost > hours ? `${hours} to ${atMost}` : `at least ${hours}`} hours`;
    const behind = `its days end ${lag} after those of ${timezone}`;
    const reason = `the service has no later day: ${behind}; check timezone in the config`;
    return { date, reason, since: toTimestamp(endsAt) };
  });
}

/** Days that are missing, and days whose implausible figures wait for a second reading. */
const gap: Kind = {
  kind: 'gap',
  when: [
    'the service did not serve days of an account yet, or not completely',
    'implausible figures of days wait for a second reading',
    'a day ended hours ago by `timezone`, and the service has no later one',
  ],
  severity: 'ticket',
  find: (facts) =>
    facts.storage.flatMap((row) => {
      const { account, waiting: doubted } = row;
      const gaps = facts.read(OPEN_GAPS, { account, since: findConfig(facts, account)?.since ?? '' });
      const missing = gaps.map(({ date }) => date);
      const waiting = [...findLateDays(facts, row), ...doubted];
      const days = [...missing, ...waiting.map(({ date }) => date)];
      if (days.length === 0) return [];
      const parts = [
        ...(missing.length > 0
          ? [`the service did not serve ${pluralize(missing.length, 'day')} yet (${listFirst(missing)})`]
          : []),
        ...(waiting.length > 0 ? [`${pluralize(waiting.length, 'day')} to be read a second time`] : []),
      ];
      return {
        scope: { account, part: 'storage' },
        since: findEarliest([...gaps, ...waiting]),
        message: `storage of ${account}: ${parts.join('; ')}`,
        details: limitDetails(
          waiting.map(
            ({ date, reason, since }) =>
              `${date}  ${reason ?? 'the service has not returned a later day'} (since ${since} UTC)`,
          ),
        ),
        advice: advise(
          doubted.length > 0
            ? 'a run at least an hour later books a day whose figures are the same'
            : 'they are asked for again at each run',
        ),
        fields: {
          count: days.length,
          days: days.slice(0, MAX_LISTED),
          waiting: waiting.slice(0, MAX_LISTED).map(({ date, reason }) => ({ date, reason })),
        },
      };
    }),
};

/** Most booked days of this many must agree with what the service reports now. */
const RECENT_DAYS = 14;

/** Where most of the last booked days differ, they were booked by a wrong time zone, or too early. */
const discrepancy: Kind = {
  kind: 'discrepancy',
  when: ['the service reports other figures for booked days'],
  severity: 'ticket',
  find: ({ storage, config, now, read, formatCommand }) =>
    storage.flatMap(({ account, discrepancies: rows }) => {
      if (rows.length === 0) return [];
      const differences = read(DIFFERENCES, { account });
      const since = addDays(createCalendar(config.timezone).dayAt(now), -RECENT_DAYS);
      const [{ booked, differing } = { booked: 0, differing: 0 }] = read(STORAGE, { account, since });
      const days = [...new Set(differences.map(({ date }) => date))];
      const [first = '', last = ''] = [days[0], days.at(-1)];
      const compare = formatCommand(`sync --storage --from ${first} --to ${last}`);
      const areMost = booked > 1 && differing * 2 > booked;
      return {
        scope: { account, part: 'storage' },
        since: findEarliest(differences),
        message:
          `storage of ${account}: the service now reports other figures for ` +
          `${pluralize(days.length, 'booked day')} (${listFirst(days)}); the booked rows do not change`,
        advice: areMost
          ? advise(
              `${differing} of the last ${booked} booked days differ: check timezone and settle in the config; then`,
              compare,
            )
          : advise("to take the service's figures", formatCommand(`correct ${account} ${last}`)),
        details: [
          ...limitDetails(
            rows.map(
              ({ date, fields, since }) => `${date}  ${pluralize(fields, 'figure')} (since ${since} UTC)`,
            ),
          ),
          `to compare again: ${compare}`,
        ],
        fields: {
          count: differences.length,
          booked,
          differing,
          differences: differences
            .slice(0, MAX_LISTED)
            .map(({ date, field, booked, observed }) => ({ date, field, booked, observed })),
        },
      };
    }),
};

export const STORAGE_KINDS = [gap, discrepancy];
