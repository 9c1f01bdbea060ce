/** The tables of the live file about targets. */
import { targetLoad } from '../../src/database/schema/targets.ts';
import { FINDING_KINDS, LOAD_OUTCOMES, RUNS } from '../../src/lib/load-report.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';

const load = describeTable(
  targetLoad,
  'What became of an account in a target of `publish.targets`: the last load, the last one that succeeded, and totals since the target came into the config.',
  {
    target: 'Name of the target in the config.',
    account: `Name of the account in the config; \`${RUNS}\` for the runs and walks, which belong to no account.`,
    outcome: enumOf(
      LOAD_OUTCOMES,
      'How the last load ended. unchanged: the target had everything. deleted: a person removed it. held: another worker has the account. refused: a person must decide. failed: it was rolled back and is tried again.',
    ),
    change_seq: 'The last `change_seq` of a video that the target has; NULL if it is not known.',
    attempted_at: 'When the last load ended.',
    loaded_at: 'When the last load ended as `loaded` or `unchanged`; NULL before the first one.',
    failing_since: 'When the first load since then failed or was refused; NULL if the last one was not.',
    error: 'Why the last load failed or was refused, in words; NULL if it was not.',
    hint: 'What to do about the error, in words; NULL if there is nothing to say.',
    code: 'SQLSTATE or code of the connection of the error, such as `42501` or `ECONNREFUSED`; NULL if it has none.',
    held_by: 'The worker that has the account in the target; NULL if no other one has it.',
    held_until: 'Until when it has the account, unless it renews its lease.',
    loads: withUnit('loads', 'Loads that succeeded.'),
    failures: withUnit('loads', 'Loads that failed or were refused.'),
    rows: withUnit('rows', 'Rows that the loads wrote, in all tables of the target.'),
    duration_ms: withUnit('milliseconds', 'Time that the loads took that succeeded.'),
    verified_at: 'When counts and sums of both sides were last compared; NULL if they never were.',
    verified: '1 if they were equal; NULL if they were never compared.',
    findings: withUnit(
      'JSON',
      `What loads found, until it is settled: a list of \`{kind, message, since}\`. The kinds are ${FINDING_KINDS.join(', ')}.`,
    ),
  },
);

export const TARGET_TABLES = [load];
