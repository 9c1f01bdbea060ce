/** Published: storage by day. */
import { FIGURES, STORAGE_FIELDS, STORAGE_KINDS, type Figure } from '../../service/service-fields.ts';
import type { Table, TableColumn, WorkingTable } from './mart.ts';
import { accountColumn, column, DAY, instant, monthEndColumn, size, sourceColumn } from './mart-columns.ts';

/** The size of all kinds together, under that alias; NULL if one of them is missing. */
const totalSize = (alias: string) => STORAGE_KINDS.map(({ size }) => `${alias}.${size}`).join(' + ');

/** The figures that readers see: the newest correction of a day, or else what is booked or last read. */
export const shownDay: WorkingTable = {
  kind: 'working',
  name: 'shown_day',
  definition: `(account, date, state, observed_at, booked_bytes, accepted_at, reason,
    ${FIGURES.join(', ')}, primary key (account, date)) without rowid`,
  select: `select s.account, s.date, s.state, s.observed_at,
  case when c.accepted_at is not null then ${totalSize('s')} end, c.accepted_at, c.reason,
  ${FIGURES.map((name) => `case when c.accepted_at is null then s.${name} else c.${name} end`).join(',\n  ')}
from live.storage_day s
left join live.storage_correction c on c.account = s.account and c.date = s.date and c.accepted_at = (
  select max(n.accepted_at) from live.storage_correction n where n.account = s.account and n.date = s.date
)`,
};

/** Every day of each account, from its first known day to its last, or to today if it is still read. */
export const accountDay: WorkingTable = {
  kind: 'working',
  name: 'account_day',
  definition: '(account, day, month_start, ends_at, primary key (account, day)) without rowid',
  select: `select f.account, d.day, d.month_start, d.ends_at
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

/** What the figures of a day are. */
const STATE = `case when s.date is null then 'missing' when s.state = 'booked' then 'booked'
  when d.day = :today then 'live' else 'provisional' end`;

/**
 * Why a past day is not booked. The most certain reason comes first. A day that was read after its end, and
 * is no gap, is one that the service had in progress.
 */
const REASON = `case when s.state = 'booked' or d.day = :today then null
  when g.reason = 'incomplete' then 'incomplete'
  when q.record_id is not null then 'not_storable'
  when u.date is not null then 'implausible'
  when g.date is not null then 'not_served'
  when s.observed_at >= d.ends_at then 'not_over'
  else 'not_requested' end`;
const REASONS = ['not_requested', 'not_served', 'incomplete', 'not_storable', 'implausible', 'not_over'];

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
    'One row per day of an account, from the first known day to today; a past day that is not booked has a reason.',
  role: 'fact',
  key: ['account', 'day'],
  foreignKeys: ['day'],
  columns: [
    accountColumn('d'),
    DAY,
    column(
      'state',
      'VARCHAR(20)',
      'booked: final, changed only by a correction. live: the last reading of today. provisional: the last reading of a past day that is not booked. missing: no figures.',
      STATE,
      { source: 'state', values: ['booked', 'live', 'provisional', 'missing'] },
    ),
    column(
      'reason',
      'VARCHAR(20)',
      'Why a past day is not booked. not_requested: not asked for since it is over. not_served: the service did not return it. incomplete: figures are missing. not_storable: its record cannot be read. implausible: a second reading has to confirm it. not_over: the service has no later day yet.',
      REASON,
      { values: REASONS },
    ),
    instant('last_requested', 'When an unbooked day was last asked for.', 'g.last_requested_at'),
    instant('given_up', 'Since when an unbooked day is requested once a month.', 'g.given_up_at'),
    monthEndColumn('booked day', `coalesce(${LAST_OF_MONTH}, 0)`),
    column(
      'is_retired',
      'BOOLEAN',
      '1 if the storage of the account left the config.',
      'd.account not in (select value from json_each(:followed))',
    ),
    instant('observed', 'When the figures were read, or booked.', 's.observed_at'),
    ...size('total', 'Size of all kinds together; NULL if one is unknown', totalSize('s'), {
      additivity: 'semi-additive',
    }),
    column(
      'total_bytes_change',
      'BIGINT',
      'Change of the total since the day before; NULL unless both days are booked.',
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
    instant('corrected', 'When a person accepted other figures.', 's.accepted_at'),
    sourceColumn('correction_reason', 'TEXT', 'Why the correction was accepted.', 's.reason'),
    column(
      'discrepancy_count',
      'BIGINT',
      'How many booked figures differ from what the service returns now.',
      'coalesce(x.figures, 0)',
      { unit: 'figures', additivity: 'additive' },
    ),
  ],
  from: `from account_day d
left join shown_day s on s.account = d.account and s.date = d.day
left join live.storage_gap g on g.account = d.account and g.date = d.day
left join live.storage_unconfirmed u on u.account = d.account and u.date = d.day
left join (
  select distinct account, record_id from live.quarantine where stream = 'storage' and resolved_at is null
) q on q.account = d.account and q.record_id = d.day
left join (
  select account, date, count(distinct field) as figures from live.storage_discrepancy
  where resolved_at is null group by account, date
) x on x.account = d.account and x.date = d.day
order by d.account, d.day`,
  count: 'select count(*) from account_day',
  watched: [
    `select account, count(*), min(date), max(date), max(observed_at) from storage_day
     where state = 'booked' group by account order by account`,
    `select account, date, ${FIGURES.join(', ')} from storage_day where state = 'live' order by account, date`,
    // How many different sets of figures each day has had: a reading that repeats an earlier one changes
    // nothing. Only the newest rows are read, because the table has no index on the date.
    `select account, date, count(distinct json_array(${FIGURES.join(', ')})) from storage_reading
     where reading_id > (select max(reading_id) from storage_reading) - 20000
       and date >= date(:today, '-3 days')
     group by account, date order by account, date`,
    'select account, date, given_up_at, reason from storage_gap order by account, date',
    'select account, date, reason from storage_unconfirmed order by account, date',
    'select count(*), max(discrepancy_id), count(resolved_at) from storage_discrepancy',
    'select account, count(*), max(accepted_at) from storage_correction group by account order by account',
    `select account, record_id, reason from quarantine
     where account in (select value from json_each(:followed)) and stream = 'storage' and package_id is null
       and resolved_at is null
     order by quarantine_id`,
  ],
};
