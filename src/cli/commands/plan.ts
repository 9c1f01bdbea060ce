import { reportLeaving } from '../../app/leaving.ts';
import { assertNotLost } from '../../app/lost-file.ts';
import { loadConfig } from '../../config/load.ts';
import { createPlan } from '../../capacity/plan-report.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import { systemClock } from '../../lib/clock.ts';
import { openWorkerContext, type JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { planText } from '../output/plan-text.ts';

/** `vodhouse plan`: what runs cost; sends nothing. The exit code is 3 where the schedule does not fit. */
export async function plan(options: JsonOptions): Promise<number> {
  const config = loadConfig(options.config);
  assertNotLost(config, commandsFor(options.config));
  const { logger } = openWorkerContext('plan', options, config.secrets);
  for (const warning of reportLeaving(config, commandsFor(options.config)).warnings)
    logger.warn({ event: 'config_warning', reason: warning }, warning);
  const report = createPlan(config, systemClock.now());
  process.stdout.write(options.json ? formatJson(report) : planText(report, options.config));
  return report.fits ? EXIT.done : EXIT.partial;
}
