/** The part of `check` that looks at the targets. */
import type { Config, TargetConfig } from '../config/config.ts';
import { errorLine, hintLine } from '../lib/errors.ts';
import { escapeControls } from '../lib/format.ts';
import { withAccess } from '../publishing/targets/open-target.ts';
import {
  findRefusal,
  readIdentity,
  type AccountState,
  type Identity,
} from '../publishing/targets/ownership.ts';
import type { TargetCheck, TargetFailure } from '../publishing/targets/target.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { formatTable } from './output/table.ts';

/** Connects to each target; changes nothing that a reader sees. */
export function checkTargets({ publish, accounts }: Config, warehouse: Warehouse) {
  const identity = readIdentity(warehouse);
  const check = async (target: TargetConfig) => {
    const checks = await withAccess(target, async (access) => {
      const found = await access.check();
      if (found.some(({ isOk }) => !isOk)) return found;
      const states = await access.readAccounts();
      return [
        ...found,
        ...accounts.map(({ name }) => checkAccount(name, states.get(name) ?? null, identity, target.name)),
      ];
    });
    return { target: target.name, checks: 'failure' in checks ? [toFailed(checks.failure)] : checks };
  };
  return Promise.all((publish?.targets ?? []).map(check));
}

const toFailed = ({ message, hint }: TargetFailure): TargetCheck => ({
  ...{ subject: 'accounts', isOk: false, result: message, hint },
});

function checkAccount(
  account: string,
  state: AccountState | null,
  identity: Identity,
  target: string,
): TargetCheck {
  const refusal = findRefusal(account, state, identity, null, target);
  const loaded = state ? `loaded by ${state.worker}, ${state.loadedAt ?? 'never'} UTC` : 'not loaded yet';
  return {
    subject: `account ${account}`,
    isOk: refusal === null,
    result: refusal ? errorLine(refusal) : loaded,
    hint: refusal && hintLine(refusal),
  };
}

type CheckedTargets = Awaited<ReturnType<typeof checkTargets>>;

/** A table of what was looked at, and below it what to do. Empty where there are no targets; ends with a line feed. */
export function checkedTargetsText(targets: CheckedTargets): string {
  if (targets.length === 0) return '';
  const all = targets.flatMap(({ target, checks }) => checks.map((check) => ({ target, ...check })));
  const rows = all.map(({ target, subject, isOk, result }) => {
    return [target, subject, isOk ? 'ok' : 'FAILED', escapeControls(result)];
  });
  const hints = all.flatMap(({ target, subject, hint }) =>
    hint === null ? [] : [`  -> ${target}, ${subject}: ${hint}`],
  );
  return `\n${[formatTable(['target', 'checked', '', 'result'], rows), ...hints].join('\n')}\n`;
}

/** For the JSON document. */
export const checkedTargetsDocument = (targets: CheckedTargets) =>
  targets.map(({ target, checks }) => ({
    target,
    checks: checks.map(({ subject, isOk, result, hint }) => ({ checked: subject, ok: isOk, result, hint })),
  }));
