/** Published: storage by day, and every reading. */
import type { MadeColumn, Table, WorkingTable } from '../mart.ts';
import { accountColumn, dayColumns, GIB } from './columns.ts';

/** The five kinds of storage of service.md 2.3: their columns in the live file, and what they are called here. */
const KINDS = [
  { count: 'mov_org_cnt', size: 'mov_org_size', name: 'original_video', words: 'original videos' },
  { count: 'encoder_cnt', size: 'encoder_size', name: 'encoded_file', words: 'encoded files' },
  { count: 'ad_org_cnt', size: 'ad_org_size', name: 'original_ad', words: 'original advertisement files' },
  {
    count: 'ad_encoder_cnt',
    size: 'ad_encoder_size',
    name: 'encoded_ad',
    words: 'encoded advertisement files',
  },
  { count: 'image_count', size: 'image_size', name: 'image', words: 'original images' },
] as const;

/** NULL where the service left one of them out: a sum of the others would be no total. */
const TOTAL = KINDS.map(({ size }) => `s.${size}`).join(' + ');

type Figure = Omit<MadeColumn, 'additivity'>;
/** A level: summed over accounts, never over days. */
const level = (figure: Figure): MadeColumn => ({ ...figure, additivity: 'semi-additive' });

function figures(): MadeColumn[] {
  return [
    level({
      name: 'total_bytes',
      type: 'BIGINT',
      unit: 'bytes',
      description: 'Size of all five kinds together; NULL where one is not known.',
      source: null,
      value: TOTAL,
    }),
    level({
      name: 'total_gib',
      type: 'REAL',
      unit: 'GiB (2^30 bytes)',
      description: 'Size of all five kinds together; NULL where one is not known.',
      source: null,
      value: `(${TOTAL}) / ${GIB}`,
    }),
    ...KINDS.flatMap(({ count, size, name, words }) => [
      level({
        name: `${name}_count`,
        type: 'BIGINT',
        unit: 'pieces',
        description: `Number of ${words}.`,
        source: count,
        value: `s.${count}`,
      }),
      level({
        name: `${name}_bytes`,
        type: 'BIGINT',
        unit: 'bytes',
        description: `Size of ${words}.`,
        source: size,
        value: `s.${size}`,
      }),
      level({
        name: `${name}_gib`,
        type: 'REAL',
        unit: 'GiB (2^30 bytes)',
        description: `Size of ${words}.`,
        source: size,
        value: `s.${size} / ${GIB}`,
      }),
    ]),
  ];
}

function change(name: string, type: 'BIGINT' | 'REAL', unit: string, divisor: string): MadeColumn {
  const before = `lag(case when s.state = 'booked' then ${TOTAL} end) over (partition by d.account order by d.day)`;
  return {
    name,
    type,
    unit,
    description:
      'Change of the total against the day before; NULL unless both are booked: the reading of a day so far is no figure of a day.',
    source: null,
    additivity: 'non-additive', // over a day that is missing, the sum of the changes is not the growth
    value: `case when s.state = 'booked' then ((${TOTAL}) - ${before})${divisor} end`,
  };
}

const toDates = { columns: ['day'], table: 'dates', references: ['day'] };

/** Why a day has no figures. Asked in this order: what is certain comes first. */
const REASON = `case
    when s.date is not null then null
    when q.reason is not null then 'the record of the service could not be stored: ' || q.reason
    when g.given_up_at is not null then 'the service did not return it; given up at ' || g.given_up_at || ' UTC'
    when g.date is not null then 'the service did not return it; last asked at ' || g.last_asked_at || ' UTC'
    else 'not asked for yet'
  end`;

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
        'booked: never changes again. live: the last reading of a day that is not booked yet. missing: not observed.',
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
      description: 'When the figures were read.',
      source: 'observed_at',
      additivity: null,
      value: 's.observed_at',
    },
    ...figures(),
    change('total_bytes_change', 'BIGINT', 'bytes', ''),
    change('total_gib_change', 'REAL', 'GiB (2^30 bytes)', ` / ${GIB}`),
    {
      name: 'discrepancies',
      type: 'BIGINT',
      unit: 'figures',
      description:
        'How many figures of this booked day the service later told otherwise; what is booked stands.',
      source: null,
      additivity: 'additive',
      value: 'coalesce(x.figures, 0)',
    },
  ],
  from: `from account_day d
left join live.storage_day s on s.account = d.account and s.date = d.day
left join live.storage_gap g on g.account = d.account and g.date = d.day
left join (
  select account, record_id, min(reason) as reason from live.quarantine
  where stream = 'storage' and resolved_at is null group by account, record_id
) q on q.account = d.account and q.record_id = d.day
left join (
  select account, date, count(distinct field) as figures from live.storage_discrepancy group by account, date
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
    ...figures(),
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
