/** Problems of responses: records in quarantine, and fields that their description lacks. One for each account. */
import { pluralize, truncate } from '../../lib/format.ts';
import { HIDDEN_FIELDS } from '../../queries/named/videos.ts';
import { driftName } from '../commands.ts';
import type { HealthFacts } from '../facts.ts';
import { defineKind } from '../problem.ts';
import { findEarliest, limitDetails, MAX_LISTED } from '../text.ts';

/** The rows of each account that has some. */
function groupByAccount<Row extends { account: string }>(rows: readonly Row[]): [Row, ...Row[]][] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(row.account);
    if (group) group.push(row);
    else groups.set(row.account, [row]);
  }
  return [...groups.values()];
}

const quarantine = defineKind({
  kind: 'quarantine',
  when: 'records of an account could not be stored',
  event: 'quarantine',
  severity: 'attention',
  find: (facts) =>
    groupByAccount(facts.quarantine).map((rows) => {
      const records = rows.flatMap(({ stream, examples }) => examples.map((row) => ({ stream, ...row })));
      return {
        ...{ scope: { account: rows[0].account }, account: rows[0].account, records },
        streams: rows.map(({ stream }) => stream),
        count: rows.reduce((sum, { open }) => sum + open, 0),
        since: findEarliest(records.map(({ seen_at: since }) => ({ since }))),
      };
    }),
  message: ({ account, count, streams }) =>
    `${pluralize(count, 'record')} of ${account} (${streams.join(', ')}) in quarantine`,
  details: ({ records, count }) =>
    limitDetails(
      records.map(({ record_id: id, package_id: packageId, reason, seen_at: at }) => {
        const owner = packageId === null ? '' : ` of package ${packageId}`;
        return `${truncate(id ?? 'without an id', 30)}${owner}: ${truncate(reason, 70)} (seen at ${at} UTC)`;
      }),
      count,
    ),
  advice: ({ account }) => [
    {
      text: null,
      command: `select * from quarantine where account = '${account.replaceAll("'", "''")}' and resolved_at is null`,
    },
  ],
  fields: ({ count, records }) => ({ count, records }),
  resolved: ({ account }) => `no record of ${account} is in quarantine any more`,
});

type Drift = HealthFacts['drift'][number];

function describeDrift({ account, stream, field, kind, sample }: Drift): string {
  const name = truncate(field, 60);
  const value = HIDDEN_FIELDS.includes(field) ? 'not shown here' : truncate(sample ?? '', 60);
  const text = {
    new: `have a field that is not documented: ${name}, e.g. ${value}`,
    missing: `lack the documented field ${name}`,
    type: `have another type in ${name}: ${value}`,
  }[kind];
  return `${stream === 'videos' ? 'videos' : 'storage days'} of ${account} ${text}`;
}

const drift = defineKind({
  kind: 'drift',
  when: 'responses of an account do not match their description, and nobody acknowledged it',
  event: 'drift',
  severity: 'note',
  find: (facts) =>
    groupByAccount(facts.drift.filter(({ acknowledged_at: at }) => at === null)).map((rows) => ({
      ...{ scope: { account: rows[0].account }, rows },
      since: findEarliest(rows.map(({ first_seen_at: since }) => ({ since }))),
    })),
  message: ({ rows: [first, ...others] }) =>
    `${describeDrift(first)}${others.length > 0 ? `; and ${others.length} more like this` : ''}`,
  details: ({ rows: [, ...others] }) => limitDetails(others.map(describeDrift)),
  advice: ({ rows: [first, ...others] }, formatCommand) => {
    // a long or unusual name cannot be copied from a terminal: the command without a name accepts all drift
    const isAll = others.length > 0 || !/^[\x20-\x7e]{1,60}$/.test(first.field);
    const command = formatCommand(isAll ? 'acknowledge' : `acknowledge ${driftName(first)}`);
    return [{ text: isAll ? 'to accept all drift' : 'to accept it', command }];
  },
  fields: ({ rows }) => ({
    count: rows.length,
    fields: rows
      .slice(0, MAX_LISTED)
      .map(({ stream, field, kind }) => ({ stream, field: truncate(field, 60), kind })),
  }),
  resolved: ({ account }) => `responses of ${account} no longer drift, or the drift was acknowledged`,
});

export const RECORD_KINDS = [quarantine, drift];
