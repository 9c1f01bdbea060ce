/** Problems of targets: loads that fail, accounts that are refused, and values that differ. One for each target. */
import { fromTimestamp, HOUR_MS } from '../../lib/clock.ts';
import { pluralize } from '../../lib/format.ts';
import { groupFailures, OTHER_WAREHOUSE, RUNS } from '../../lib/load-report.ts';
import { shellQuote, type FormatCommand } from '../commands.ts';
import type { HealthFacts } from '../facts.ts';
import { namesOf, type TargetAccount } from '../targets.ts';
import { defineKind } from '../problem.ts';
import { findEarliest, MAX_LISTED, toOneLine } from '../text.ts';

/** Loads may fail for this long before a person hears of it: a server may be restarted. */
const PATIENCE_MS = HOUR_MS;

type Group = readonly [TargetAccount, ...TargetAccount[]];

/** Accounts with the same reason are one group, and the groups of a target one problem. */
function findGroups({ targets, now }: HealthFacts, isWanted: (row: TargetAccount, now: number) => boolean) {
  return targets.flatMap(({ target, accounts, runs }) => {
    const rows = (runs ? [...accounts, runs] : accounts).filter((row) => isWanted(row, now));
    const [first, ...others] = groupFailures(rows);
    if (!first) return [];
    const since = findEarliest(rows.map((row) => ({ since: row.failing_since ?? row.verified_at })));
    return [{ scope: { part: target }, target, groups: [first, ...others], since }] as const;
  });
}

interface TargetFinding {
  target: string;
  groups: readonly [Group, ...Group[]];
}

/** The command for the first account, and its hint. */
function publishCommand({ target }: TargetFinding, formatCommand: FormatCommand, option = '') {
  return formatCommand(`publish --target ${shellQuote(target)}${option}`);
}

const countOthers = (count: number, noun: string): string =>
  count > 0 ? ` (and ${pluralize(count, noun)})` : '';

/** The `details` of an alert: `text` of the first account of each group. */
function toFields({ target, groups }: TargetFinding, what: string, textOf: (row: TargetAccount) => string) {
  return {
    targets: groups.map((group) => ({
      ...{ target, what },
      accounts: group.flatMap(({ account }) => (account === RUNS ? [] : account)).slice(0, MAX_LISTED),
      ...{ error: toOneLine(textOf(group[0])), code: what === 'differs' ? null : group[0].code },
    })),
  };
}

const errorOf = ({ error }: TargetAccount) => error ?? '';
const differenceOf = ({ differences }: TargetAccount) => differences?.[0] ?? '';

const targetFailed = defineKind({
  kind: 'target_failed',
  when: 'loads of a target have failed for an hour',
  event: 'target',
  severity: 'attention',
  place: 'targets',
  find: (facts) =>
    findGroups(facts, ({ outcome, failing_since: since }, now) => {
      return outcome === 'failed' && now - fromTimestamp(since ?? '') >= PATIENCE_MS;
    }),
  message: ({ target, since, groups: [group, ...others] }) =>
    `target ${target} has failed since ${since ?? ''} UTC for ${namesOf(group)}: ${toOneLine(errorOf(group[0]))}${countOthers(others.length, 'other reason')}`,
  advice: (row, formatCommand) => {
    const { hint } = row.groups[0][0];
    return [
      ...(hint === null ? [] : [{ text: toOneLine(hint), command: null }]),
      {
        text: 'the worker tries again by itself; to try it now',
        command: publishCommand(row, formatCommand),
      },
    ];
  },
  fields: (row) => toFields(row, 'failed', errorOf),
  resolved: ({ part }) => `loads of target ${part} no longer fail`,
});

const targetRefused = defineKind({
  kind: 'target_refused',
  when: 'a target refuses an account',
  event: 'target',
  severity: 'attention',
  place: 'targets',
  find: (facts) => findGroups(facts, ({ outcome }) => outcome === 'refused'),
  message: ({ target, groups }) =>
    `target ${target}: ${toOneLine(errorOf(groups[0][0]))}${countOthers(groups.flat().length - 1, 'other account')}`,
  advice: (row, formatCommand) => {
    const { account, code } = row.groups[0][0];
    const option = code === OTHER_WAREHOUSE ? 'take-over' : 'rebuild';
    const command = publishCommand(row, formatCommand, ` --${option} ${shellQuote(account)}`);
    return [{ text: 'if this warehouse is the right one', command }];
  },
  fields: (row) => toFields(row, 'refused', errorOf),
  resolved: ({ part }) => `target ${part} no longer refuses an account`,
});

const targetDiffers = defineKind({
  kind: 'target_differs',
  when: 'a target differs from the warehouse',
  event: 'target',
  severity: 'attention',
  place: 'targets',
  find: (facts) => findGroups(facts, ({ differences }) => (differences?.length ?? 0) > 0),
  message: ({ target, groups }) =>
    `target ${target}: ${toOneLine(differenceOf(groups[0][0]))}${countOthers(groups.flat().length - 1, 'other account')}`,
  advice: (row, formatCommand) => {
    const command = publishCommand(row, formatCommand, ` --rebuild ${shellQuote(row.groups[0][0].account)}`);
    return [{ text: 'to load the account again completely', command }];
  },
  fields: (row) => toFields(row, 'differs', differenceOf),
  resolved: ({ part }) => `target ${part} no longer differs`,
});

export const TARGET_KINDS = [targetFailed, targetRefused, targetDiffers];
