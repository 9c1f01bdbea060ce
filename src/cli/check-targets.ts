/** The part of `check` that looks at the targets. */
import type { Config, TargetConfig } from '../config/config.ts';
import { errorLine, hintLine } from '../lib/errors.ts';
import { openTarget } from '../publishing/targets/loader.ts';
import { findRefusal, readIdentity } from '../publishing/targets/ownership.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** What was looked at, and the result in one sentence; `hint`: what to type or do. As the JSON document has it. */
interface TargetCheck {
  checked: string;
  ok: boolean;
  result: string;
  hint: string | null;
}

const toFailed = (checked: string, error: unknown): TargetCheck => ({
  ...{ checked, ok: false, result: errorLine(error), hint: hintLine(error) },
});
const toPassed = (checked: string, result: string): TargetCheck => ({
  checked,
  ok: true,
  result,
  hint: null,
});

/** Tries each target, and looks who owns the accounts; changes nothing that a reader sees. */
export function checkTargets({ publish, accounts, worker }: Config, warehouse: Warehouse) {
  const identity = readIdentity(warehouse);
  async function check(config: TargetConfig): Promise<TargetCheck[]> {
    try {
      const target = await openTarget(config, worker);
      const passed = toPassed('target', await target.check());
      const states = await target.readAccounts();
      const owners = accounts.map(({ name }) => {
        const state = states.get(name) ?? null;
        const refusal = findRefusal(name, state, identity, null, config.name);
        if (refusal) return toFailed(`account ${name}`, refusal);
        const loaded = state
          ? `loaded by ${state.worker}, ${state.loadedAt ?? 'never'} UTC`
          : 'not loaded yet';
        return toPassed(`account ${name}`, loaded);
      });
      return [passed, ...owners];
    } catch (error) {
      return [toFailed('target', error)];
    }
  }
  const targets = publish?.targets ?? [];
  return Promise.all(targets.map(async (each) => ({ target: each.name, checks: await check(each) })));
}
