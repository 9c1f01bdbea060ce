/** Published: figures of booked days that a person accepted in place of the booked ones. */
import type { Table } from '../mart.ts';
import { accountColumn, dayColumns, flag } from './mart-columns.ts';
import { figures } from './figure-columns.ts';

/** One row a correction. What is booked stands in the live file; `storage_daily` shows the newest correction of a day. */
export const storageCorrections: Table = {
  kind: 'table',
  name: 'storage_corrections',
  description:
    'One row a correction of a booked day: the figures as they were booked, and those that a person accepted in their place.',
  key: ['account', 'day', 'accepted_at'],
  foreignKeys: [
    { columns: ['account', 'day'], table: 'storage_daily', references: ['account', 'day'] },
    { columns: ['day'], table: 'dates', references: ['day'] },
  ],
  columns: [
    accountColumn('c'),
    ...dayColumns('c.date'),
    {
      name: 'accepted_at',
      type: 'TIMESTAMP',
      unit: 'UTC',
      description: 'When a person accepted the figures.',
      source: 'accepted_at',
      additivity: null,
      value: 'c.accepted_at',
    },
    flag(
      'is_newest',
      '1 for the newest correction of its day: the one that storage_daily shows.',
      'c.accepted_at = max(c.accepted_at) over (partition by c.account, c.date)',
    ),
    {
      name: 'reason',
      type: 'TEXT',
      unit: null,
      description: 'Why it was accepted.',
      source: 'reason',
      additivity: null,
      value: 'c.reason',
    },
    {
      name: 'booked_observed_at',
      type: 'TIMESTAMP',
      unit: 'UTC',
      description: 'When the booked figures were read.',
      source: 'observed_at',
      additivity: null,
      value: 'b.observed_at',
    },
    ...figures({ alias: 'b', prefix: 'booked_', suffix: ', as booked', additivity: 'non-additive' }),
    ...figures({ alias: 'c', prefix: 'corrected_', suffix: ', as corrected', additivity: 'non-additive' }),
  ],
  from: `from live.storage_correction c
cross join live.storage_day b on b.account = c.account and b.date = c.date
order by c.account, c.date, c.accepted_at`,
  count: 'select count(*) from live.storage_correction',
};
