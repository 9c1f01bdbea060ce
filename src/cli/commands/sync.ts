import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { openPipeline, type Pipeline } from '../../app/pipeline.ts';
import { acceptRemovalsCommands, commandsFor } from '../../health/commands.ts';
import { ConfigError, VodhouseError } from '../../lib/errors.ts';
import { createStaleCheck } from '../../health/streams.ts';
import { openCommandContext, type CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import type { RunSummary } from '../../sync/run.ts';
import { logPublication, logRun } from '../output/log-run.ts';
import { publishResultText, type PublishResult } from '../output/publication-text.ts';
import { formatRun, summaryJson } from '../output/run-summary.ts';
import { exitCodeForSync, publishAfterRun } from '../publish-after-run.ts';
import { abortOnSignal } from '../signals.ts';
import { createRunRequest, isUnscoped, type SyncOptions } from '../sync-request.ts';

/** `vodhouse sync`: makes one run now. Returns the exit code. */
export async function sync(options: SyncOptions): Promise<number> {
  const config = loadConfig(options.config);
  const request = createRunRequest(options, config, Date.now());
  const context = await openCommandContext('sync', options, config.secrets);
  const { signal } = abortOnSignal(undefined, context.line);
  try {
    const pipeline = openPipeline(config, context);
    try {
      assertHeldBack(pipeline, options.acceptRemovals);
      const wait = options.wait ?? false;
      const summary = await pipeline.run({ trigger: 'manual', signal, ...request }, { wait });
      const published = await publishAfterRun(pipeline, context, signal, summary.clock);
      context.close();
      if (options.logFormat === 'json') logOutcome(context, summary, published);
      const formatCommand = acceptRemovalsCommands(commandsFor(options.config), config.accounts);
      const accepting = { accepted: options.acceptRemovals, formatCommand };
      process.stdout.write(
        options.json
          ? summaryJson(summary, published)
          : formatRun(summary, config, options.verbose ?? false, accepting) + publishResultText(published),
      );
      const exitCode = exitCodeForSync(summary.status, published);
      if (!signal.aborted) {
        const since = isUnscoped(request) && summary.mode === 'full' ? 'always' : 'now';
        await sendAlerts(config, context, signal, since, isUnscoped(request) && exitCode === EXIT.done);
      }
      return exitCode;
    } finally {
      await pipeline.close();
    }
  } finally {
    context.close();
  }
}

/** In a JSON log; a text log has the summary next to it. */
function logOutcome({ logger }: CommandContext, summary: RunSummary, published: PublishResult): void {
  logRun(logger, summary);
  if (published instanceof VodhouseError) {
    const error = published.message;
    logger.error({ event: 'publish_failed', error }, `publishing failed: ${error}`);
  } else if (published) logPublication(logger, published);
}

/** Throws ConfigError if no removal that the named walk held back waits. */
function assertHeldBack({ warehouse }: Pipeline, walkId: SyncOptions['acceptRemovals']): void {
  if (typeof walkId !== 'number' || warehouse.hasHeldBack(walkId)) return;
  throw new ConfigError(`walk ${walkId} held nothing back that still waits`, {
    hint: 'vodhouse status names the walks that did; without a number, all of them are accepted',
  });
}

/** A run waits this long for webhooks; what is left is sent by the next run or worker. */
const ALERTS_TIMEOUT_MS = 10_000;

/** Sends the alerts and the ping that are due. `isDone`: a run over everything succeeded. */
async function sendAlerts(
  config: Config,
  { clock, logger }: CommandContext,
  signal: AbortSignal,
  since: 'always' | 'now',
  isDone: boolean,
): Promise<void> {
  if (!config.notify) return;
  const { openNotifier } = await import('../../alerts/notifier.ts');
  const isStale = createStaleCheck(config.schedule);
  const notifier = openNotifier(config, { clock, logger, isStale, since });
  notifier?.runFinished(isDone);
  notifier?.caughtUp();
  await notifier?.close(ALERTS_TIMEOUT_MS, signal);
}
