/** The part of `check` that looks at the targets. */
import type { Config, TargetConfig } from '../config/config.ts';
import { errorLine, hintLine } from '../lib/errors.ts';
import { escapeControls } from '../lib/format.ts';
import { openAccess } from '../publishing/targets/open-target.ts';
import {
  findRefusal,
  readIdentity,
  type AccountState,
  type Identity,
} from '../publishing/targets/ownership.ts';
import type { TargetCheck } from '../publishing/targets/target.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { formatTable } from './output/table.ts';

/** Connects to each target; changes nothing that a reader sees. */
export async function checkTargets({ publish, accounts }: Config, warehouse: Warehouse) {
  const identity = readIdentity(warehouse);
  const names = accounts.map(({ name }) => name);
  const checkOne = async (target: TargetConfig) => ({
    target: target.name,
    checks: await checkTarget(target, names, identity),
  });
  return Promise.all((publish?.targets ?? []).map(checkOne));
}

async function checkTarget(
  target: TargetConfig,
  accounts: readonly string[],
  identity: Identity,
): Promise<TargetCheck[]> {
  const access = await openAccess(target);
  try {
    const found = await access.check();
    if (found.some(({ isOk }) => !isOk)) return found;
    const states = await access.readAccounts();
    const checkOwner = (account: string) =>
      checkAccount(account, states.get(account) ?? null, identity, target.name);
    return [...found, ...accounts.map(checkOwner)];
  } catch (error) {
    const { message, hint } = access.describe(error);
    return [{ subject: 'accounts', isOk: false, result: message, hint }];
  } finally {
    await access.close();
  }
}

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
