/** Problems of responses, one for each account: records in quarantine, and fields that are not documented. */
import { pluralize, truncate } from '../lib/format.ts';
import { STREAM_KINDS } from '../sync/streams.ts';
import { HIDDEN_FIELDS } from '../queries/named/videos.ts';
import { advise } from './advice.ts';
import { driftName } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import type { Kind } from './problem.ts';
import { findEarliest, groupBy, limitDetails, MAX_LISTED } from './text.ts';

const quarantined: Kind = {
  kind: 'quarantine',
  when: ['records of an account could not be stored'],
  severity: 'ticket',
  find: ({ quarantine, formatCommand }) =>
    [...groupBy(quarantine, (row) => row.account)].map(([account, rows]) => {
      const records = rows.flatMap(({ stream, examples }) => examples.map((row) => ({ stream, ...row })));
      const count = rows.reduce((sum, { open }) => sum + open, 0);
      const streams = rows.map(({ stream }) => stream).join(', ');
      return {
        scope: { account },
        since: findEarliest(records.map((row) => ({ since: row.seen_at }))),
        message: `${pluralize(count, 'record')} of ${account} (${streams}) could not be stored`,
        details: limitDetails(
          records.map(({ record_id: id, package_id: packageId, reason, seen_at: at }) => {
            const owner = packageId === null ? '' : ` of package ${packageId}`;
            return `${truncate(id ?? 'without an id', 30)}${owner}: ${truncate(reason, 70)} (seen at ${at} UTC)`;
          }),
          count,
        ),
        advice: advise('they are in quarantine; to list them', formatCommand('status --json')),
        fields: { count, records },
      };
    }),
};

function describeDrift({ account, stream, field, kind, sample }: HealthFacts['drift'][number]): string {
  if (kind === 'missing' && field === 'Date')
    return `responses of ${account} have no Date header, so that nothing confirms the machine's clock`;
  const name = truncate(field, 60);
  const value = HIDDEN_FIELDS.includes(field) ? 'not shown here' : truncate(sample ?? '', 60);
  const text = {
    new: `have a field that is not documented: ${name}, e.g. ${value}`,
    missing: `lack the documented field ${name}`,
    type: `have another type in ${name}: ${value}`,
    form: `have another form of ${name}, which cannot be read: ${value}`,
  }[kind];
  return `${STREAM_KINDS[stream].records} of ${account} ${text}`;
}

const drift: Kind = {
  kind: 'drift',
  when: ['responses of an account do not match their description, and this is not acknowledged'],
  severity: 'note',
  find: ({ drift: all, formatCommand }) => {
    const open = all.filter(({ acknowledged_at: at }) => at === null);
    return [...groupBy(open, (row) => row.account)].map(([account, rows]) => {
      const [first, ...others] = rows;
      // a long or unusual name cannot be copied from a terminal, so the command accepts all drift instead
      const isAll = others.length > 0 || !/^[\x20-\x7e]{1,60}$/.test(first.field);
      const command = formatCommand(isAll ? 'acknowledge' : `acknowledge ${driftName(first)}`);
      const more = others.length > 0 ? `; and ${others.length} more like this` : '';
      const fields = rows.slice(0, MAX_LISTED);
      return {
        scope: { account },
        since: findEarliest(rows.map((row) => ({ since: row.first_seen_at }))),
        message: `${describeDrift(first)}${more}`,
        details: limitDetails(others.map(describeDrift)),
        advice: advise(isAll ? 'to accept all drift' : 'to accept it', command),
        fields: {
          count: rows.length,
          fields: fields.map(({ stream, field, kind }) => ({ stream, field: truncate(field, 60), kind })),
        },
      };
    });
  },
};

export const RECORD_KINDS = [quarantined, drift];
