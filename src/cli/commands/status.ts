import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { commandsFor } from '../../health/commands.ts';
import { createStaleCheck } from '../../health/freshness.ts';
import { createReport, type Report } from '../../health/report.ts';
import { openPublisher } from '../../publishing/publisher.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import type { ConfigOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { requestsText, statusText } from '../output/status-text.ts';

export interface StatusOptions extends ConfigOptions {
  requests?: true;
  json?: true;
}

const MAX_REQUESTS = 30;

/** `vodhouse status`. Returns the exit code: 3 where anything needs attention. */
export async function status(options: StatusOptions): Promise<number> {
  const config = loadConfig(options.config);
  const overview = openStatusQueries(config.warehouse);
  try {
    if (options.requests) {
      const requests = overview.requests(MAX_REQUESTS);
      process.stdout.write(options.json ? formatJson({ requests }) : requestsText(requests));
      return EXIT.done;
    }
    const now = systemClock.now();
    const publisher = openPublisher(config, 'status');
    const isStale = createStaleCheck(config.schedule);
    const report = createReport(
      { config, overview, publisher, typed: commandsFor(options.config), isStale },
      now,
    );
    process.stdout.write(options.json ? reportJson(report) : statusText(report, now));
    return report.needs.length > 0 ? EXIT.partial : EXIT.done;
  } finally {
    overview.close();
  }
}

function reportJson(report: Report): string {
  return formatJson({ ...report, needs: report.needs.map(({ words }) => words) });
}
