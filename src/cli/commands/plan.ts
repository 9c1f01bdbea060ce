import { systemClock } from '../../lib/clock.ts';
import { EXIT } from '../exit.ts';
import { createPlan } from '../../capacity/plan-report.ts';
import { planText } from '../output/plan-text.ts';
import { readConfig, type ConfigOptions } from '../command-context.ts';
import { formatJson } from '../output/output.ts';

export interface PlanOptions extends ConfigOptions {
  json?: true;
}

/** `vodhouse plan`: what runs would cost; sends nothing. Gives the exit code: 3 where the schedule does not fit. */
export async function plan(options: PlanOptions): Promise<number> {
  const report = createPlan(readConfig(options), systemClock.now());
  process.stdout.write(options.json ? formatJson(report) : planText(report, options.config));
  return report.fits ? EXIT.done : EXIT.partial;
}
