/** Problems of targets: loads that fail, accounts that are refused, and values that differ. One for each target. */
import { fromTimestamp, HOUR_MS } from '../../lib/clock.ts';
import { pluralize } from '../../lib/format.ts';
import { groupFailures, OTHER_WAREHOUSE, RUNS } from '../../lib/load-report.ts';
import { shellQuote } from '../commands.ts';
import type { HealthFacts } from '../facts.ts';
import { namesOf, type TargetAccount } from '../targets.ts';
import { defineKind } from '../problem.ts';
import { findEarliest, MAX_LISTED, toOneLine } from '../text.ts';

/** Loads may fail for this long before a person hears of it: a server may be restarted. */
const PATIENCE_MS = HOUR_MS;

/** Accounts with the same reason are one group, and the groups of a target one problem. */
type Group = readonly [TargetAccount, ...TargetAccount[]];

interface TargetKind {
  kind: string;
  when: string;
  /** In the `details` of an alert. */
  what: 'failed' | 'refused' | 'differs';
  isWanted: (row: TargetAccount, now: number) => boolean;
  /** Of the first account of a group. */
  textOf: (row: TargetAccount) => string;
  message: (group: Group, since: string | null) => string;
  /** What to do about the first account: text, and the options of `publish --target NAME`. */
  advice: (row: TargetAccount) => { text: string; options: string };
  resolved: string;
}

function defineTargetKind({ isWanted, textOf, what, advice, ...own }: TargetKind) {
  return defineKind({
    ...{ kind: own.kind, when: own.when, event: 'target', severity: 'attention', place: 'targets' },
    find: ({ targets, now }: HealthFacts) =>
      targets.flatMap(({ target, accounts, runs }) => {
        const rows = (runs ? [...accounts, runs] : accounts).filter((row) => isWanted(row, now));
        const [first, ...others] = groupFailures(rows);
        if (!first) return [];
        const since = findEarliest(rows.map((row) => ({ since: row.failing_since ?? row.verified_at })));
        return [{ scope: { part: target }, target, groups: [first, ...others], since }] as const;
      }),
    message: ({ target, groups: [group, ...others], since }) => {
      const more = others.length > 0 ? ` (and ${pluralize(others.length, 'other reason')})` : '';
      return `target ${target} ${own.message(group, since)}: ${toOneLine(textOf(group[0]))}${more}`;
    },
    advice: ({ target, groups: [[row]] }, formatCommand) => {
      const { text, options } = advice(row);
      const command = formatCommand(`publish --target ${shellQuote(target)}${options}`);
      const hint =
        what === 'failed' && row.hint !== null ? [{ text: toOneLine(row.hint), command: null }] : [];
      return [...hint, { text, command }];
    },
    fields: ({ target, groups }) => ({
      targets: groups.map((group) => ({
        ...{ target, what },
        accounts: group.flatMap(({ account }) => (account === RUNS ? [] : account)).slice(0, MAX_LISTED),
        ...{ error: toOneLine(textOf(group[0])), code: what === 'differs' ? null : group[0].code },
      })),
    }),
    resolved: ({ part }) => own.resolved.replace('TARGET', `target ${part}`),
  });
}

const errorOf = ({ error }: TargetAccount) => error ?? '';

export const TARGET_KINDS = [
  defineTargetKind({
    ...{ kind: 'target_failed', when: 'loads of a target have failed for an hour', what: 'failed' },
    isWanted: ({ outcome, failing_since: since }, now) =>
      outcome === 'failed' && now - fromTimestamp(since ?? '') >= PATIENCE_MS,
    textOf: errorOf,
    message: (group, since) => `has failed since ${since ?? ''} UTC for ${namesOf(group)}`,
    advice: () => ({ text: 'the worker tries again by itself; to try it now', options: '' }),
    resolved: 'loads of TARGET no longer fail',
  }),
  defineTargetKind({
    ...{ kind: 'target_refused', when: 'a target refuses an account', what: 'refused' },
    isWanted: ({ outcome }) => outcome === 'refused',
    textOf: errorOf,
    message: (group) => `refuses ${namesOf(group)}`,
    advice: ({ account, code }) => ({
      text: 'if this warehouse is the right one',
      options: ` --${code === OTHER_WAREHOUSE ? 'take-over' : 'rebuild'} ${shellQuote(account)}`,
    }),
    resolved: 'TARGET no longer refuses an account',
  }),
  defineTargetKind({
    ...{ kind: 'target_differs', when: 'a target differs from the warehouse', what: 'differs' },
    isWanted: ({ differences }) => (differences?.length ?? 0) > 0,
    textOf: ({ differences }) => differences?.[0] ?? '',
    message: (group) => `differs in ${namesOf(group)}`,
    advice: ({ account }) => ({
      text: 'to load the account again completely',
      options: ` --rebuild ${shellQuote(account)}`,
    }),
    resolved: 'TARGET no longer differs',
  }),
];
