/** The tables of the live file about targets. */
import { forgotten, publication, targetLoad } from '../../src/database/schema/targets.ts';
import { LOAD_OUTCOMES, RUNS } from '../../src/lib/load-report.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';

const load = describeTable(
  targetLoad,
  'What became of an account in a target of `publish.targets`: the last load, the last one that succeeded, and totals since the target came into the config.',
  {
    target: 'Name of the target in the config.',
    account: `Name of the account in the config; \`${RUNS}\` for the tables that belong to no account.`,
    outcome: enumOf(
      LOAD_OUTCOMES,
      'How the last load ended. unchanged: the target had everything. removed: the warehouse no longer has it. refused: the account belongs to another warehouse in the target, and a person must decide. failed: it is tried again.',
    ),
    change_seq: 'The last `change_seq` of a video that the target has; NULL if it is not known.',
    attempted_at: 'When the last load ended.',
    loaded_at: 'When the last load ended as `loaded` or `unchanged`; NULL before the first one.',
    failing_since: 'When the first load since then failed or was refused; NULL if the last one was not.',
    error: 'Why the last load failed or was refused, in words; NULL if it was not.',
    hint: 'What to do about the error, in words; NULL if there is nothing to say.',
    code: 'SQLSTATE or code of the connection of the error, such as `42501` or `ECONNREFUSED`; NULL if it has none.',
    loads: withUnit('loads', 'Loads that succeeded.'),
    failures: withUnit('loads', 'Loads that failed or were refused.'),
    rows: withUnit('rows', 'Rows that the loads wrote, in all tables of the target.'),
    duration_ms: withUnit('milliseconds', 'Time that the loads took that succeeded.'),
    verified_at: 'When every value was last compared; NULL if it never was.',
    differences: withUnit(
      'JSON',
      'The first values that differed then, as sentences; NULL if they were never compared.',
    ),
    notes: withUnit('JSON', 'What else the last load tells, as sentences.'),
  },
);

const publications = describeTable(
  publication,
  'One row per publication, the last 1,000: a target remembers one, and so recognises an older copy of the file, or a copy that runs elsewhere.',
  {
    number: 'Number of the publication, increasing.',
    publication_id: 'Its id: a random UUID.',
    published_at: 'When it began.',
  },
);

const forgettings = describeTable(
  forgotten,
  'One row per `vodhouse forget`: targets load the account again completely.',
  {
    forgotten_id: 'Number, increasing.',
    account_name: 'Name of the account.',
    package_id: 'The package; NULL for the whole account.',
    at: 'When.',
  },
);

export const TARGET_TABLES = [load, publications, forgettings];
