import { systemClock, toTimestamp } from '../../lib/clock.ts';
import { ConfigError, InterruptedError, LockedError, VodhouseError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { publishTime, type RunClock } from '../../sync/run-clock.ts';
import type { RunSummary } from '../../sync/run.ts';
import type { Publication, Publisher } from '../../publishing/publisher.ts';
import { assertSameZone } from '../../app/same-zone.ts';
import { openPublisher } from '../../publishing/open-publisher.ts';
import { readBookedZone } from '../../warehouse/booked-zone.ts';
import { EXIT, exitCodeForRun } from '../exit.ts';
import { readConfig, type ConfigOptions, type CommandContext } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { pluralize, formatDuration, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';
import type { Pipeline } from '../../app/pipeline.ts';

export interface PublishOptions extends ConfigOptions {
  json?: true;
}

/** `vodhouse publish`: makes the published file anew, now. Gives the exit code. */
export async function publish(options: PublishOptions): Promise<number> {
  const config = readConfig(options);
  const publisher = openPublisher(config, 'publish');
  if (!publisher) throw nowhere();
  assertSameZone(config, { bookedZone: () => readBookedZone(config.warehouse) });
  const { signal } = abortOnSignal('stopping; the published file stays as it was');
  const { now, pruneCopies } = publishTime(systemClock.now(), null); // no answer has confirmed the clock
  const publication = await publisher.publish(now, signal, { pruneCopies });
  process.stdout.write(options.json ? formatJson(publicationDocument(publication)) : inLines(publication));
  return EXIT.done;
}

/** What came of publishing after a run: null where nothing is published or had changed, an error where it failed. */
export type Published = Publication | VodhouseError | null;

/**
 * Publishes after a run, if it changed something and `publish.every` allows it. An interrupted one is left to the next
 * run. `judged` is what the run found out about the clocks; null where there was no run.
 */
export async function publishAfterRun(
  { publisher }: Pick<Pipeline, 'publisher'>,
  session: Pick<CommandContext, 'clock' | 'logger' | 'announce'>,
  signal: AbortSignal,
  judged: RunClock | null,
): Promise<Published> {
  try {
    return publisher && (await publishInTurn(publisher, session, signal, judged));
  } catch (error) {
    if (error instanceof VodhouseError) return error;
    throw error;
  }
}

/** Waits for another process that publishes: it may have looked before this run ended. */
async function publishInTurn(
  publisher: Publisher,
  { clock, logger, announce }: Pick<CommandContext, 'clock' | 'logger' | 'announce'>,
  signal: AbortSignal,
  judged: RunClock | null,
): Promise<Publication | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    const { now, pruneCopies } = publishTime(clock.now(), judged);
    const dueAt = publisher.dueAt(now);
    if (dueAt === null) return null;
    if (dueAt > now) return putOff(logger, dueAt);
    if (tries === 1) announce(`publishing ${displayPath(publisher.file)} …\n`);
    try {
      return await publisher.publish(now, signal, { pruneCopies });
    } catch (error) {
      if (!(error instanceof LockedError) || tries === MOST_TRIES) throw error;
      await clock.sleep(BETWEEN_TRIES_MS, signal);
    }
  }
  return null;
}

function putOff(logger: Logger, until: number): null {
  logger.info(
    `publishing is put off until ${toTimestamp(until)} UTC (publish.every): vodhouse publish does not wait`,
  );
  return null;
}

const MOST_TRIES = 200;
const BETWEEN_TRIES_MS = 300;

/** The exit code for a run and what was published of it. */
export function exitOfSync(status: RunSummary['status'], published: Published): number {
  const code = exitCodeForRun(status);
  if (code !== EXIT.done || !(published instanceof VodhouseError)) return code;
  return published instanceof InterruptedError ? EXIT.interrupted : EXIT.partial;
}

/** What came of publishing, in lines; none where there was nothing to do. */
export function publishedLines(published: Published): string {
  if (published === null) return '';
  if (!(published instanceof VodhouseError)) return inLines(published);
  const hint = published.hint ? `  -> ${published.hint}\n` : '';
  return `not published: ${published.message}\n${hint}`;
}

function nowhere(): ConfigError {
  return new ConfigError('the config has no `publish`: there is no file to publish into', {
    hint: 'add the line `publish: {}` for data/vodhouse.bi.db beside the config, or name a file: `publish: { file: … }`',
  });
}

/** A publication in a line, for logs and summaries. */
export function publicationWords({ file, bytes, durationMs, rows }: Publication): string {
  const parts = [
    pluralize(rows['videos'] ?? 0, 'video'),
    pluralize((rows['videos'] ?? 0) + (rows['video_history'] ?? 0), 'version'),
    pluralize(rows['storage_daily'] ?? 0, 'day of storage', 'days of storage'),
    formatBytes(bytes),
  ];
  return `published ${displayPath(file)}: ${parts.join(', ')} in ${formatDuration(durationMs)}`;
}

function inLines(publication: Publication): string {
  const lines = [publicationWords(publication)];
  if (publication.copy !== null) lines.push(`a copy of the day: ${displayPath(publication.copy)}`);
  return `${lines.join('\n')}\n`;
}

/** What came of publishing, for a JSON document. */
export function publishedDocument(published: Published) {
  if (published instanceof VodhouseError) return { error: published.message, hint: published.hint ?? null };
  return published && publicationDocument(published);
}

function publicationDocument({ file, bytes, durationMs, rows, copy }: Publication) {
  return { file, bytes, duration_ms: Math.round(durationMs), rows, copy };
}
