/** Problems of targets, one for each: loads that fail, accounts that are refused, values that differ. */
import { fromTimestamp, HOUR_MS } from '../lib/clock.ts';
import { pluralize } from '../lib/format.ts';
import { groupFailures, OTHER_WAREHOUSE, RUNS } from '../publishing/targets/load-report.ts';
import { advise } from './advice.ts';
import { namesOf, type TargetAccount } from './targets.ts';
import type { Kind } from './problem.ts';
import { findEarliest, joinHints, MAX_LISTED, toOneLine } from './text.ts';

/** Loads may fail for this long before an alert, because a server may be restarted. */
const PATIENCE_MS = HOUR_MS;

const isEarly = ({ outcome, failing_since: since }: TargetAccount, now: number): boolean =>
  outcome === 'failed' && now - fromTimestamp(since ?? '') < PATIENCE_MS;

/** What is wrong with an account in a target; null: nothing. */
function judge({ outcome, differences }: TargetAccount) {
  if (outcome === 'refused' || outcome === 'failed') return outcome;
  return (differences?.length ?? 0) > 0 ? 'differs' : null;
}

/** The end of the sentence about a group, what to do, and the options of `publish --target NAME` for it. */
const TEXTS = {
  failed: ({ failing_since: since }: TargetAccount, names: string) => ({
    text: `has failed since ${since ?? ''} UTC for ${names}`,
    options: '',
    hint: 'a running worker tries again by itself',
  }),
  refused: ({ account, code }: TargetAccount, names: string) => ({
    text: `refuses ${names}`,
    hint: 'if this warehouse is the right one',
    options: ` --${code === OTHER_WAREHOUSE ? 'take-over' : 'rebuild'} ${account}`,
  }),
  differs: ({ account }: TargetAccount, names: string) => ({
    text: `differs in ${names}`,
    hint: 'to load the account again completely',
    options: ` --rebuild ${account}`,
  }),
};

/** Accounts with the same reason are one group, and the groups of a target one problem. */
export const target: Kind = {
  kind: 'target',
  when: [
    'loads of a target have failed for an hour',
    'a target refuses an account',
    'a target differs from the warehouse',
  ],
  severity: 'ticket',
  find: ({ targets, now, formatCommand }) =>
    targets.flatMap(({ target: name, accounts, runs }) => {
      const failing = (runs ? [...accounts, runs] : accounts).filter((row) => judge(row));
      const early = failing.filter((row) => isEarly(row, now));
      const rows = [...failing.filter((row) => !early.includes(row)), ...early];
      const groups = groupFailures(rows).map((group) => {
        const [row] = group;
        const what = judge(row) ?? 'differs';
        const error = toOneLine((what === 'differs' ? row.differences?.[0] : row.error) ?? '');
        return { group, row, what, error, ...TEXTS[what](row, namesOf(group)) };
      });
      const [first, ...others] = groups;
      if (!first) return [];
      const { row, what, text, hint, options } = first;
      const more = others.length > 0 ? ` (and ${pluralize(others.length, 'other reason')})` : '';
      return {
        scope: { part: name },
        isEarly: early.length === rows.length,
        since: findEarliest(rows.map((each) => ({ since: each.failing_since ?? each.verified_at }))),
        message: `target ${name} ${text}${more}`,
        advice: advise(
          what === 'failed' ? joinHints(row.hint ?? hint, 'to try it now') : hint,
          formatCommand(`publish --target ${name}${options}`),
        ),
        details: groups.map(({ group, error }) =>
          others.length === 0 ? error : `${namesOf(group)}: ${error}`,
        ),
        fields: {
          targets: groups.map(({ group, row, what, error }) => ({
            target: name,
            what,
            error,
            code: what === 'differs' ? null : row.code,
            accounts: group.flatMap(({ account }) => (account === RUNS ? [] : account)).slice(0, MAX_LISTED),
          })),
        },
      };
    }),
};
