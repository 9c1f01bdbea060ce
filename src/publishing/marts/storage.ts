/** Published: storage by day, and every reading. */
import { FIGURES } from '../../lib/storage-figures.ts';
import type { Table, TableColumn, WorkingTable } from '../mart.ts';
import { figureColumns, totalSize } from './figure-columns.ts';
import { accountColumn, column, dayColumns, GIB, GIB_UNIT, sourceColumn, TO_DATES } from './mart-columns.ts';

function change(name: string, type: 'BIGINT' | 'REAL', unit: string, divisor: string): TableColumn {
  const total = totalSize('s');
  const before = `lag(case when s.state = 'booked' then ${total} end) over (partition by d.account order by d.day)`;
  return column(
    name,
    type,
    'Change of the total since the day before; NULL unless both days are booked, because a live reading covers only a part of its day.',
    `case when s.state = 'booked' then ((${total}) - ${before})${divisor} end`,
    { unit, additivity: 'non-additive' }, // over a missing day, the sum of the changes is not the growth
  );
}

/** The figures that readers see: the newest correction of a day, otherwise what is booked or was last read. */
export const shownDay: WorkingTable = {
  kind: 'working',
  name: 'shown_day',
  definition: `(account, date, state, observed_at, is_corrected, ${FIGURES.join(', ')}, primary key (account, date)) without rowid`,
  select: `select s.account, s.date, s.state, coalesce(c.accepted_at, s.observed_at), c.accepted_at is not null,
  ${FIGURES.map((name) => `case when c.accepted_at is null then s.${name} else c.${name} end`).join(',\n  ')}
from live.storage_day s
left join live.storage_correction c on c.account = s.account and c.date = s.date and c.accepted_at = (
  select max(n.accepted_at) from live.storage_correction n where n.account = s.account and n.date = s.date
)`,
};

/** Why a day has no figures, and the time of the last request. The most certain reason comes first. */
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

/** One row per day of an account, without missing rows: `account_day` lists the days. */
export const storageDaily: Table = {
  kind: 'table',
  name: 'storage_daily',
  description:
    'One row per day of an account, from the first known day to today; a day without figures has a reason instead.',
  key: ['account', 'day'],
  foreignKeys: [TO_DATES],
  columns: [
    accountColumn('d'),
    ...dayColumns('d.day'),
    column(
      'state',
      'VARCHAR(20)',
      'booked: final, changed only by a correction (is_corrected). live: the last reading of a day that is not booked yet. missing: not observed.',
      `coalesce(s.state, 'missing')`,
      { unit: 'booked, live or missing', source: 'state' },
    ),
    column('reason', 'TEXT', 'Why the figures are missing; NULL if they are not.', REASON),
    sourceColumn(
      'observed_at',
      'TIMESTAMP',
      'When the figures were read; for a corrected day, when the correction was accepted.',
      's.observed_at',
    ),
    column(
      'is_corrected',
      'BOOLEAN',
      '1 if a person accepted these figures in place of the booked ones; storage_corrections has both.',
      'coalesce(s.is_corrected, 0)',
    ),
    column(
      'is_retired',
      'BOOLEAN',
      '1 if the storage of the account is no longer read: the account, or its storage, is no longer in the config.',
      'd.account not in (select value from json_each(:followed))',
    ),
    ...figureColumns({ alias: 's' }),
    change('total_bytes_change', 'BIGINT', 'bytes', ''),
    change('total_gib_change', 'REAL', GIB_UNIT, ` / ${GIB}`),
    column(
      'discrepancies',
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

/** One row per reading of today's figures. */
export const storageReadings: Table = {
  kind: 'table',
  name: 'storage_readings',
  description:
    'One row per reading of a day that was not over: the service does not return these figures again.',
  key: ['reading_id'],
  foreignKeys: [TO_DATES],
  columns: [
    sourceColumn('reading_id', 'BIGINT', 'Number of the reading, increasing.', 's.reading_id'),
    accountColumn('s'),
    sourceColumn('observed_at', 'TIMESTAMP', 'When the figures were read.', 's.observed_at'),
    column(
      'observed_time',
      'BIGINT',
      'When the figures were read, as a number, for Grafana.',
      `cast(strftime('%s', s.observed_at) as integer)`,
      { unit: 'seconds since 1970-01-01', source: 'observed_at' },
    ),
    ...dayColumns('s.date'),
    ...figureColumns({ alias: 's' }),
  ],
  from: 'from live.storage_reading s order by s.reading_id',
  count: 'select count(*) from live.storage_reading',
};

/** Every day of each account, from its first known day to its last one; to today if the account is still read. */
export const accountDay: WorkingTable = {
  kind: 'working',
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
