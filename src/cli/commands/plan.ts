import { reportLeaving } from '../../app/leaving.ts';
import { assertNotLost } from '../../app/lost-file.ts';
import { loadConfig } from '../../config/load.ts';
import { createPlan } from '../../capacity/plan-report.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLogContext, type JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { planText } from '../output/plan-text.ts';

/** `vodhouse plan`: prints what runs cost. Returns the exit code, 3 if the schedule does not fit. */
export async function plan(options: JsonOptions): Promise<number> {
  const config = loadConfig(options.config);
  const { logger, formatCommand } = createLogContext('plan', options, config.secrets, 'none');
  assertNotLost(config, formatCommand);
  for (const warning of reportLeaving(config, formatCommand).warnings)
    logger.warn({ event: 'config_warning', reason: warning }, warning);
  const report = createPlan(config, systemClock.now());
  process.stdout.write(options.json ? formatJson(report) : planText(report, options.config));
  return report.fits ? EXIT.done : EXIT.partial;
}
