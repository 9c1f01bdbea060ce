import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { openNotifier } from '../../alerts/notifier.ts';
import { openPings, type Pings } from '../../alerts/pings.ts';
import type { Pipeline, RunRequest } from '../../app/pipeline.ts';
import { createCalendar, daysBetween } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import { STREAMS, type StreamName } from '../../sync/streams.ts';
import { ConfigError, VodhouseError } from '../../lib/errors.ts';
import { formatCount } from '../../lib/format.ts';
import { createStaleCheck } from '../../health/streams.ts';
import { createLoadLogger, type CommandContext, type JsonOptions } from '../command-context.ts';
import { createMatcher, formatSelector, type PackageSelector } from '../../sync/package-selector.ts';
import type { RunSummary } from '../../sync/run.ts';
import { logPublication, logRun } from '../output/log-progress.ts';
import { publishResultText, type PublishResult } from '../output/publication-text.ts';
import { readFullRun, runText, summaryJson } from '../output/run-text.ts';
import {
  exitCodeForSync,
  getPingedEnd,
  loadAfterRun,
  loadsAfterRunText,
  publishAfterRun,
} from '../after-run.ts';
import { withPipeline } from '../with-pipeline.ts';
import { hasHeldBack } from '../../warehouse/statements/removal.ts';

/** An option for each kind of stream: the run is over these kinds only. */
export interface SyncOptions extends JsonOptions, Partial<Record<StreamName, true>> {
  quick?: true;
  /** Print a line for each package, also for those in which nothing changed. */
  verbose?: true;
  package?: PackageSelector[];
  /** With `storage`: request only the days from `from` to `to`, `yyyy-mm-dd`. */
  from?: string;
  to?: string;
  /** Accept all removals that are held back; a number: those that this walk or an earlier one held back. */
  acceptRemovals?: true | number;
  /** Retire any number of packages that left the config. */
  acceptRetirements?: true;
  wait?: true;
}

/** `vodhouse sync`: makes one run now. Returns the exit code. */
export async function sync(options: SyncOptions): Promise<number> {
  const config = loadConfig(options.config);
  const request = createRunRequest(options, config, Date.now());
  return withPipeline('sync', config, options, async ({ context, pipeline, signal }) => {
    assertHeldBack(pipeline, options.acceptRemovals);
    const { packages, storageDays, streams } = request;
    const isComplete = packages === null && storageDays === null && streams.length === STREAMS.length;
    const pings = isComplete ? openPings(config, context) : null; // pings report only runs over everything
    const run: RunRequest = { trigger: 'manual', signal, ...request, onStarted: pings?.runStarted };
    const { summary, published } = await runAndPublish(pipeline, context, run, pings);
    const loading = { ...context, logger: createLoadLogger(options, config.secrets) };
    const targets = await loadAfterRun(config, pipeline.warehouse, loading, published, signal);
    context.close();
    if (options.logFormat === 'json') logOutcome(context, summary, published);
    const { formatCommand } = context;
    const { db } = pipeline.warehouse;
    process.stdout.write(
      options.json
        ? summaryJson(summary, published, targets.loads, formatCommand)
        : runText(readFullRun(db, summary, config, formatCommand), formatCommand, options.verbose) +
            publishResultText(published, formatCommand) +
            loadsAfterRunText(targets),
    );
    const since = isComplete && summary.mode === 'full' ? 'always' : 'now';
    if (!signal.aborted) await sendAlerts(config, context, signal, since, pings);
    return exitCodeForSync(summary.status, published, targets);
  });
}

/** For a JSON log. In a text log it would repeat what is printed. */
function logOutcome({ logger }: CommandContext, summary: RunSummary, published: PublishResult): void {
  logRun(logger, summary);
  if (published instanceof VodhouseError) {
    const { message: error, hint = null } = published;
    logger.error({ event: 'publish_failed', error, hint }, `publishing failed: ${error}`);
  } else if (published) logPublication(logger, published);
}

/** Throws ConfigError if a walk is named that held back no removal, or none that still waits. */
function assertHeldBack({ warehouse }: Pipeline, walkId: SyncOptions['acceptRemovals']): void {
  if (typeof walkId !== 'number' || hasHeldBack(warehouse.db, walkId)) return;
  throw new ConfigError(`walk ${walkId} held nothing back that still waits`, {
    hint: [{ command: 'status' }, ' names the walks that did; without a walk, all of them are accepted'],
  });
}

/** Makes the run, publishes, and sends the ping about both: it is a failure if the publication failed. */
async function runAndPublish(
  pipeline: Pipeline,
  context: CommandContext,
  request: RunRequest,
  pings: Pings | null,
) {
  try {
    const summary = await pipeline.run(request);
    const published = await publishAfterRun(pipeline, context, request.signal);
    pings?.runEnded(getPingedEnd(summary.status, published)); // loads of targets are no part of it
    return { summary, published };
  } catch (error) {
    pings?.runThrew(error);
    await pings?.close(ALERTS_TIMEOUT_MS, request.signal);
    throw error;
  }
}

/** The longest wait for webhooks and pings. The next run or worker sends the alerts that are left. */
const ALERTS_TIMEOUT_MS = 10_000;

/** Sends the alerts that are due, and waits for the pings. */
async function sendAlerts(
  config: Config,
  { clock, logger }: CommandContext,
  signal: AbortSignal,
  since: 'always' | 'now',
  pings: Pings | null,
): Promise<void> {
  const isStale = createStaleCheck(config.schedule);
  const notifier = openNotifier(config, { clock, logger, isStale, since });
  notifier?.runFinished();
  notifier?.caughtUp();
  await Promise.all([notifier?.close(ALERTS_TIMEOUT_MS, signal), pings?.close(ALERTS_TIMEOUT_MS, signal)]);
}

/** The run that the options ask for at `now` (ms). Throws ConfigError for options that exclude each other. */
function createRunRequest(options: SyncOptions, config: Pick<Config, 'accounts' | 'timezone'>, now: number) {
  if (options.quick && options.acceptRemovals !== undefined)
    reject('--accept-removals needs a full walk: a quick one does not confirm removals', 'leave out --quick');
  const packages = options.package ?? null;
  if (packages) assertConfigured(packages, config.accounts);
  const named = STREAMS.filter((stream) => options[stream] || (stream === 'videos' && packages));
  return {
    mode: options.quick ? 'quick' : 'full',
    packages,
    streams: named.length > 0 ? named : STREAMS,
    storageDays: getStorageDays(options, createCalendar(config.timezone).dayAt(now)),
    acceptRemovals: options.acceptRemovals ?? false,
    acceptRetirements: options.acceptRetirements ?? false,
    wait: options.wait ?? false,
  } satisfies Partial<RunRequest>;
}

function reject(message: string, hint: string): never {
  throw new ConfigError(message, { hint });
}

/** The most days that may be requested: ten years. */
const MAX_DAYS = 3_660;
/** How many packages of the config an error names at most. */
const MAX_EXAMPLES = 20;

/** The days of `--from` and `--to`; null without them. `today` is by the calendar of the service. */
function getStorageDays({ storage, from, to }: SyncOptions, today: string): DayRange | null {
  if (from === undefined && to === undefined) return null;
  if (!storage) reject('--from and --to name days of the storage', 'add --storage');
  if (from === undefined) reject('--to needs --from', 'add the first day: --from yyyy-mm-dd');
  const last = to ?? addDays(today, -1);
  if (last > today) reject(`${last} is in the future: today is ${today}`, 'leave out --to for yesterday');
  if (from > last) reject(`--from ${from} is later than --to ${last}`, 'swap them');
  const days = daysBetween(from, last) + 1;
  if (days > MAX_DAYS) {
    const hint = `request at most ${formatCount(MAX_DAYS)} days at a time; every 31 days cost one request`;
    reject(`--from ${from} --to ${last} are ${formatCount(days)} days`, hint);
  }
  return { from, to: last };
}

function assertConfigured(selectors: readonly PackageSelector[], accounts: Config['accounts']): void {
  const known = accounts.flatMap(({ name, packages }) =>
    packages.map(({ id }) => ({ account: name, packageId: id })),
  );
  const unknown = selectors.filter((selector) => !known.some(createMatcher([selector])));
  if (unknown.length === 0) return;
  const examples = known.slice(0, MAX_EXAMPLES).map(formatSelector).join(', ');
  reject(
    `no account has the package ${unknown.map(formatSelector).join(', ')}`,
    `the config has ${examples}`,
  );
}
