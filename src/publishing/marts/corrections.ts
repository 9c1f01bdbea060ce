/** Published: figures that a person accepted in place of the booked ones. */
import type { Table } from '../mart.ts';
import { figureColumns } from './figure-columns.ts';
import { accountColumn, column, dayColumns, sourceColumn, TO_DATES } from './mart-columns.ts';

/** One row per correction. The booked row stays in the live file; `storage_daily` shows the newest correction of a day. */
export const storageCorrections: Table = {
  kind: 'table',
  name: 'storage_corrections',
  description:
    'One row per correction of a booked day: the booked figures, and the figures that a person accepted in their place.',
  key: ['account', 'day', 'accepted_at'],
  foreignKeys: [
    { columns: ['account', 'day'], table: 'storage_daily', references: ['account', 'day'] },
    TO_DATES,
  ],
  columns: [
    accountColumn('c'),
    ...dayColumns('c.date'),
    sourceColumn('accepted_at', 'TIMESTAMP', 'When a person accepted the figures.', 'c.accepted_at'),
    column(
      'is_newest',
      'BOOLEAN',
      '1 for the newest correction of its day, which storage_daily shows.',
      'c.accepted_at = max(c.accepted_at) over (partition by c.account, c.date)',
    ),
    sourceColumn('reason', 'TEXT', 'Why the correction was accepted.', 'c.reason'),
    sourceColumn('booked_observed_at', 'TIMESTAMP', 'When the booked figures were read.', 'b.observed_at'),
    ...figureColumns({ alias: 'b', prefix: 'booked_', suffix: ', as booked', additivity: 'non-additive' }),
    ...figureColumns({
      ...{ alias: 'c', prefix: 'corrected_', suffix: ', as corrected', additivity: 'non-additive' },
    }),
  ],
  from: `from live.storage_correction c
cross join live.storage_day b on b.account = c.account and b.date = c.date
order by c.account, c.date, c.accepted_at`,
  count: 'select count(*) from live.storage_correction',
};
