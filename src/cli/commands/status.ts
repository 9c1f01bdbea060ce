import { systemClock } from '../../lib/clock.ts';
import { createStaleCheck } from '../../health/freshness.ts';
import { openPublisher } from '../../publishing/open-publisher.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import { EXIT } from '../exit.ts';
import { readConfig, type ConfigOptions } from '../command-context.ts';
import { createReport, type Report } from '../../health/report.ts';
import { requestsJson, requestsText, statusText } from '../output/status-text.ts';
import { commandsFor } from '../../health/commands.ts';
import { formatJson } from '../output/output.ts';

export interface StatusOptions extends ConfigOptions {
  requests?: true;
  json?: true;
}

const REQUESTS_SHOWN = 30;

/** `vodhouse status`: how things stand. Gives the exit code: 3 where something is stale or needs a person. */
export async function status(options: StatusOptions): Promise<number> {
  const config = readConfig(options);
  const overview = openStatusQueries(config.warehouse);
  try {
    if (options.requests) {
      const requests = overview.requests(REQUESTS_SHOWN);
      process.stdout.write(options.json ? requestsJson(requests) : requestsText(requests));
      return EXIT.done;
    }
    const parts = {
      config,
      overview,
      publisher: openPublisher(config, 'status'),
      typed: commandsFor(options.config),
    };
    const report = createReport({ ...parts, isStale: createStaleCheck(config.schedule) }, systemClock.now());
    process.stdout.write(options.json ? reportJson(report) : statusText(report, systemClock.now()));
    return report.needs.length > 0 ? EXIT.partial : EXIT.done;
  } finally {
    overview.close();
  }
}

function reportJson(report: Report): string {
  return formatJson({ ...report, needs: report.needs.map(({ words }) => words) });
}
