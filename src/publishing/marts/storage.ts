/** Published: storage by day, and every reading. */
import type { MadeColumn, Table, WorkingTable } from '../mart.ts';
import { accountColumn, dayColumns, flag, GIB } from './mart-columns.ts';
import { FIGURES, figures, totalOf } from './figure-columns.ts';

function change(name: string, type: 'BIGINT' | 'REAL', unit: string, divisor: string): MadeColumn {
  const before = `lag(case when s.state = 'booked' then ${totalOf('s')} end) over (partition by d.account order by d.day)`;
  return {
    name,
    type,
    unit,
    description:
      'Change of the total against the day before; NULL unless both are booked: the reading of a day so far is no figure of a day.',
    source: null,
    additivity: 'non-additive', // over a day that is missing, the sum of the changes is not the growth
    value: `case when s.state = 'booked' then ((${totalOf('s')}) - ${before})${divisor} end`,
  };
}

export const toDates = { columns: ['day'], table: 'dates', references: ['day'] };

/** What is shown of a day: the newest correction, else what is booked or was last read. */
export const shownDay: WorkingTable = {
  name: 'shown_day',
  definition: `(account, date, state, observed_at, is_corrected, ${FIGURES.join(', ')}, primary key (account, date)) without rowid`,
  select: `select s.account, s.date, s.state, coalesce(c.accepted_at, s.observed_at), c.accepted_at is not null,
  ${FIGURES.map((name) => `case when c.accepted_at is null then s.${name} else c.${name} end`).join(',\n  ')}
from live.storage_day s
left join live.storage_correction c on c.account = s.account and c.date = s.date and c.accepted_at = (
  select max(n.accepted_at) from live.storage_correction n where n.account = s.account and n.date = s.date
)`,
};

/** Why a day has no figures, and since when or until when it was asked for. What is certain comes first. */
const REASON = `case when s.date is null then case
    when g.reason = 'incomplete' then 'the service did not return a complete record' || coalesce(' (' || q.reason || ')', '')
    when q.reason is not null then 'the record of the service could not be stored: ' || q.reason
    when u.reason is not null then 'its figures are implausible, and not confirmed by a second reading (' || u.reason || ')'
    when g.reason = 'unconfirmed' then 'the service has not returned a later day yet: it may not be over'
    when g.date is not null then 'the service did not return it'
    else 'not asked for yet'
  end || case
    when g.given_up_at is not null then '; given up at ' || g.given_up_at || ' UTC'
    when g.date is not null then '; last asked at ' || g.last_asked_at || ' UTC'
    else ''
  end end`;

/** One row a day of an account, without a hole. The table `account_day` says which. */
export const storageDaily: Table = {
  kind: 'table',
  name: 'storage_daily',
  description:
    'One row a day of an account, from the first day known to today; a day that was not observed has a reason in place of figures.',
  key: ['account', 'day'],
  foreignKeys: [toDates],
  columns: [
    accountColumn('d'),
    ...dayColumns('d.day'),
    {
      name: 'state',
      type: 'VARCHAR(20)',
      unit: 'booked, live or missing',
      description:
        'booked: never changes again, but by a correction (is_corrected). live: the last reading of a day that is not booked yet. missing: not observed.',
      source: 'state',
      additivity: null,
      value: `coalesce(s.state, 'missing')`,
    },
    {
      name: 'reason',
      type: 'TEXT',
      unit: null,
      description: 'Why the figures are missing; NULL where they are not.',
      source: null,
      additivity: null,
      value: REASON,
    },
    {
      name: 'observed_at',
      type: 'TIMESTAMP',
      unit: 'UTC',
      description: 'When the figures were read; of a corrected day, when the correction was accepted.',
      source: 'observed_at',
      additivity: null,
      value: 's.observed_at',
    },
    flag(
      'is_corrected',
      '1 where a person accepted these figures in place of the booked ones: storage_corrections has both.',
      'coalesce(s.is_corrected, 0)',
    ),
    ...figures({ alias: 's' }),
    change('total_bytes_change', 'BIGINT', 'bytes', ''),
    change('total_gib_change', 'REAL', 'GiB (2^30 bytes)', ` / ${GIB}`),
    {
      name: 'discrepancies',
      type: 'BIGINT',
      unit: 'figures',
      description:
        'How many figures of this booked day differ from what the service says now; what is booked stands until it is corrected.',
      source: null,
      additivity: 'additive',
      value: 'coalesce(x.figures, 0)',
    },
  ],
  from: `from account_day d
left join shown_day s on s.account = d.account and s.date = d.day
left join live.storage_gap g on g.account = d.account and g.date = d.day
left join live.storage_unconfirmed u on u.account = d.account and u.date = d.day
left join (
  select account, record_id, min(reason) as reason from live.quarantine
  where stream = 'storage' and resolved_at is null group by account, record_id
) q on q.account = d.account and q.record_id = d.day
left join (
  select account, date, count(distinct field) as figures from live.storage_discrepancy
  where resolved_at is null group by account, date
) x on x.account = d.account and x.date = d.day
order by d.account, d.day`,
  count: 'select count(*) from account_day',
};

/** One row a reading of today's figures. */
export const storageReadings: Table = {
  kind: 'table',
  name: 'storage_readings',
  description:
    "One row a reading of a day's figures while that day lasted: the service never tells them again.",
  key: ['reading_id'],
  foreignKeys: [toDates],
  columns: [
    {
      name: 'reading_id',
      type: 'BIGINT',
      unit: null,
      description: 'Number of the reading, rising.',
      source: 'reading_id',
      additivity: 'non-additive',
      value: 's.reading_id',
    },
    accountColumn('s'),
    {
      name: 'observed_at',
      type: 'TIMESTAMP',
      unit: 'UTC',
      description: 'When it was read.',
      source: 'observed_at',
      additivity: null,
      value: 's.observed_at',
    },
    {
      name: 'observed_time',
      type: 'BIGINT',
      unit: 'seconds since 1970-01-01',
      description: 'When it was read, as a number, for Grafana.',
      source: 'observed_at',
      additivity: 'non-additive',
      value: `cast(strftime('%s', s.observed_at) as integer)`,
    },
    ...dayColumns('s.date'),
    ...figures({ alias: 's' }),
  ],
  from: 'from live.storage_reading s order by s.reading_id',
  count: 'select count(*) from live.storage_reading',
};

/** Every day of each account from the first that anything is known of, to today where it is still read. */
export const accountDay: WorkingTable = {
  name: 'account_day',
  definition: '(account, day, primary key (account, day)) without rowid',
  select: `select f.account, d.day
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
