/** The part of `check` that looks at the targets. */
import type { Config } from '../config/config.ts';
import { escapeControls } from '../lib/format.ts';
import { openAccess } from '../publishing/targets/open-target.ts';
import { compareOwner } from '../publishing/targets/ownership.ts';
import type { TargetCheck } from '../publishing/targets/target.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { formatTable } from './output/table.ts';

export interface CheckedTarget {
  target: string;
  checks: TargetCheck[];
}

/** Connects to each target; changes nothing that a reader sees. */
export function checkTargets({ publish, accounts }: Config, warehouse: Warehouse): Promise<CheckedTarget[]> {
  const identity = { warehouseId: warehouse.getWarehouseId(), publications: warehouse.listPublications() };
  const checks = (publish?.targets ?? []).map(async (target): Promise<CheckedTarget> => {
    const access = await openAccess(target);
    try {
      const found = await access.check();
      if (found.some(({ isOk }) => !isOk)) return { target: target.name, checks: found };
      const states = await access.readAccounts();
      const owners = accounts.map(({ name }): TargetCheck => {
        const state = states.get(name) ?? null;
        const isOk = ['free', 'ours'].includes(compareOwner(state, identity));
        const loaded =
          state === null ? 'not loaded yet' : `loaded by ${state.worker}, ${state.loadedAt ?? 'never'} UTC`;
        const hint = `if this warehouse is to have it: vodhouse publish --target ${target.name} --take-over ${name}`;
        return {
          subject: `account ${name}`,
          isOk,
          result: isOk ? loaded : `another warehouse has it: ${loaded}`,
          hint: isOk ? null : hint,
        };
      });
      return { target: target.name, checks: [...found, ...owners] };
    } catch (error) {
      const { message, hint } = access.describe(error);
      return { target: target.name, checks: [{ subject: 'accounts', isOk: false, result: message, hint }] };
    } finally {
      await access.close();
    }
  });
  return Promise.all(checks);
}

/** A table of what was looked at, and below it what to do. Empty where there are no targets; ends with a line feed. */
export function checkedTargetsText(targets: readonly CheckedTarget[]): string {
  if (targets.length === 0) return '';
  const all = targets.flatMap(({ target, checks }) => checks.map((check) => ({ target, ...check })));
  const rows = all.map(({ target, subject, isOk, result }) => [
    target,
    subject,
    isOk ? 'ok' : 'FAILED',
    escapeControls(result),
  ]);
  const hints = all.flatMap(({ target, subject, hint }) =>
    hint === null ? [] : [`  -> ${target}, ${subject}: ${hint}`],
  );
  return `\n${[formatTable(['target', 'checked', '', 'result'], rows), ...hints].join('\n')}\n`;
}

/** For the JSON document. */
export const checkedTargetsDocument = (targets: readonly CheckedTarget[]) =>
  targets.map(({ target, checks }) => ({
    target,
    checks: checks.map(({ subject, isOk, result, hint }) => ({ checked: subject, ok: isOk, result, hint })),
  }));
