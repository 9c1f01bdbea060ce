/** The part of `check` that looks at the targets. */
import type { Config } from '../config/config.ts';
import { createMarts } from '../publishing/marts/marts.ts';
import { createHolder } from '../publishing/targets/holder.ts';
import type { TargetCheck } from '../publishing/targets/check-result.ts';
import { checkTarget } from '../publishing/targets/target-kinds.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { formatTable } from './output/table.ts';

export interface CheckedTarget {
  target: string;
  checks: TargetCheck[];
}

/** Connects to each target; changes nothing there. */
export function checkTargets(config: Config, warehouse: Warehouse): Promise<CheckedTarget[]> {
  const { publish, durationUnit, timezone } = config;
  if (!publish) return Promise.resolve([]);
  const shared = {
    holder: createHolder(config),
    warehouseId: warehouse.getWarehouseId(),
    accounts: config.accounts.map(({ name }) => name),
    marts: createMarts({ durationUnit, exclude: publish.exclude }),
    timezone,
  };
  const checks = publish.targets.map(async (target) => ({
    target: target.name,
    checks: await checkTarget({ ...shared, target }),
  }));
  return Promise.all(checks);
}

const STATE_TEXTS = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' } as const;

/** A table of what was looked at, and below it what to do. Empty where there are no targets; ends with a line feed. */
export function checkedTargetsText(targets: readonly CheckedTarget[]): string {
  if (targets.length === 0) return '';
  const all = targets.flatMap(({ target, checks }) => checks.map((check) => ({ target, ...check })));
  const rows = all.map(({ target, asked, state, result }) => [target, asked, STATE_TEXTS[state], result]);
  const hints = all.flatMap(({ target, asked, hint }) =>
    hint === null ? [] : [`  -> ${target}, ${asked}: ${hint}`],
  );
  return `\n${[formatTable(['target', 'checked', '', 'result'], rows), ...hints].join('\n')}\n`;
}

/** For the JSON document. */
export const checkedTargetsDocument = (targets: readonly CheckedTarget[]) =>
  targets.map(({ target, checks }) => ({
    target,
    checks: checks.map(({ asked, state, result, hint }) => ({
      ...{ asked, ok: state !== 'failed', warning: state === 'warning', result, hint },
    })),
  }));
