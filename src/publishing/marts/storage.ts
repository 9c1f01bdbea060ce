/** Published: storage by day. */
import { FIGURES, STORAGE_FIELDS, STORAGE_KINDS, type Figure } from '../../lib/service-fields.ts';
import type { Table, TableColumn, WorkingTable } from '../mart.ts';
import { accountColumn, column, dayColumn, moment, monthEndColumn, size, TO_DATES } from './mart-columns.ts';

/** The sum of the sizes of all kinds under that alias. NULL if one is missing: a sum of the others is no total. */
const totalSize = (alias: string) => STORAGE_KINDS.map(({ size }) => `${alias}.${size}`).join(' + ');

/** The figures that readers see: the newest correction of a day, otherwise what is booked or was last read. */
export const shownDay: WorkingTable = {
  kind: 'working',
  name: 'shown_day',
  definition: `(account, date, state, observed_at, booked_bytes, corrected_at, correction_reason, ${FIGURES.join(', ')}, primary key (account, date)) without rowid`,
  select: `select s.account, s.date, s.state, s.observed_at, case when c.accepted_at is not null then ${totalSize('s')} end,
  c.accepted_at, c.reason,
  ${FIGURES.map((name) => `case when c.accepted_at is null then s.${name} else c.${name} end`).join(',\n  ')}
from live.storage_day s
left join live.storage_correction c on c.account = s.account and c.date = s.date and c.accepted_at = (
  select max(n.accepted_at) from live.storage_correction n where n.account = s.account and n.date = s.date
)`,
};

/** Every day of each account, from its first known day to its last one; to today if the account is still read. */
export const accountDay: WorkingTable = {
  kind: 'working',
  name: 'account_day',
  definition: '(account, day, month_start, primary key (account, day)) without rowid',
  select: `select f.account, d.day, d.month_start
from (
  select account, min(date) as first, max(date) as last from (
    select account, date from live.storage_day
    union all select account, date from live.storage_gap
    union all select account, date from live.storage_reading
  ) group by account
) f
cross join dates d on d.day >= f.first and d.day <= case
  when f.account in (select value from json_each(:followed)) then max(f.last, :today) else f.last end`,
};

/** Why a day has no figures, and the time of the last request. The most certain reason comes first. */
const REASON = `case when s.date is null then case
    when g.reason = 'incomplete' then 'the service did not return a complete record' || coalesce(' (' || q.reason || ')', '')
    when q.reason is not null then 'the record of the service could not be stored: ' || q.reason
    when u.reason is not null then 'its figures are implausible, and not confirmed by a second reading (' || u.reason || ')'
    when g.reason = 'unconfirmed' then 'the service has not returned a later day yet: it may not be over'
    when g.date is not null then 'the service did not return it'
    else 'not requested yet'
  end || case
    when g.given_up_at is not null then '; given up at ' || g.given_up_at || ' UTC'
    when g.date is not null then '; last requested at ' || g.last_requested_at || ' UTC'
    else ''
  end end`;

const BOOKED_TOTAL = `case when s.state = 'booked' then ${totalSize('s')} end`;
const LAST_OF_MONTH = `s.state = 'booked' and d.day = max(case when s.state = 'booked' then d.day end)
    over (partition by d.account, d.month_start)`;

/** A count and a size for each kind. */
const kindColumns = (): TableColumn[] =>
  STORAGE_KINDS.flatMap(({ name, count, size }) => {
    const figure = (what: 'count' | 'bytes', source: Figure) => {
      const unit = what === 'bytes' ? 'bytes' : 'pieces';
      const description = `${STORAGE_FIELDS[source].description}.`;
      const details = { unit, source, additivity: 'semi-additive' } as const;
      return column(`${name}_${what}`, 'BIGINT', description, `s.${source}`, details);
    };
    return [figure('count', count), figure('bytes', size)];
  });

/** One row per day of an account, without missing rows: `account_day` lists the days. */
export const storageDaily: Table = {
  kind: 'table',
  name: 'storage_daily',
  description:
    'One row per day of an account, from the first known day to today; a day without figures has a reason instead.',
  role: 'fact',
  key: ['account', 'day'],
  foreignKeys: [TO_DATES],
  columns: [
    accountColumn('d'),
    dayColumn('d.day'),
    column(
      'state',
      'VARCHAR(20)',
      'booked: final, changed only by a correction. live: the last reading of a day that is not booked yet. missing: not observed.',
      `coalesce(s.state, 'missing')`,
      { source: 'state', values: ['booked', 'live', 'missing'] },
    ),
    column('reason', 'TEXT', 'Why the figures are missing; NULL if they are not.', REASON),
    monthEndColumn('booked day', `coalesce(${LAST_OF_MONTH}, 0)`),
    column(
      'is_retired',
      'BOOLEAN',
      '1 if the storage of the account is no longer read: the account, or its storage, is no longer in the config.',
      'd.account not in (select value from json_each(:followed))',
    ),
    ...moment('observed', 'When the figures were read, or booked.', 's.observed_at', 'observed_at'),
    ...size('total', 'Size of all kinds together; NULL if one of them is unknown', totalSize('s'), {
      additivity: 'semi-additive',
    }),
    column(
      'total_bytes_change',
      'BIGINT',
      'Change of the total since the day before; NULL unless both days are booked, because a live reading covers only a part of its day.',
      `${BOOKED_TOTAL} - lag(${BOOKED_TOTAL}) over (partition by d.account order by d.day)`,
      { unit: 'bytes' }, // over a missing day, the sum of the changes is not the growth
    ),
    ...kindColumns(),
    column(
      'booked_total_bytes',
      'BIGINT',
      'For a corrected day, the total that was booked; the other columns are as corrected.',
      's.booked_bytes',
      { unit: 'bytes' },
    ),
    ...moment('corrected', 'When a person accepted other figures.', 's.corrected_at', 'accepted_at'),
    column('correction_reason', 'TEXT', 'Why the correction was accepted.', 's.correction_reason', {
      source: 'reason',
    }),
    column(
      'discrepancy_count',
      'BIGINT',
      'How many figures of this booked day differ from what the service returns now; the booked figures stay until they are corrected.',
      'coalesce(x.figures, 0)',
      { unit: 'figures', additivity: 'additive' },
    ),
  ],
  from: `from account_day d
left join shown_day s on s.account = d.account and s.date = d.day
left join live.storage_gap g on g.account = d.account and g.date = d.day
left join live.storage_unconfirmed u on u.account = d.account and u.date = d.day
left join (
  select account, record_id, without_nul(min(reason)) as reason from live.quarantine
  where stream = 'storage' and resolved_at is null group by account, record_id
) q on q.account = d.account and q.record_id = d.day
left join (
  select account, date, count(distinct field) as figures from live.storage_discrepancy
  where resolved_at is null group by account, date
) x on x.account = d.account and x.date = d.day
order by d.account, d.day`,
  count: 'select count(*) from account_day',
};
