/** What commands share that change the warehouse, or send requests without a worker. */
import { openPipeline, type Pipeline } from '../app/pipeline.ts';
import type { Config } from '../config/config.ts';
import { exitCodeForSync, publishAfterRun } from './after-run.ts';
import { openCommandContext, type CommandContext, type ContextOptions } from './command-context.ts';
import { publishResultText } from './output/publication-text.ts';
import { abortOnSignal } from './signals.ts';

export interface OpenedCommand {
  context: CommandContext;
  pipeline: Pipeline;
  /** Aborts at SIGINT and SIGTERM. */
  signal: AbortSignal;
}

/** Opens the warehouse of the config for `work`, then closes it. Returns the exit code of `work`. */
export async function withPipeline(
  command: string,
  config: Config,
  options: ContextOptions,
  work: (opened: OpenedCommand) => Promise<number>,
): Promise<number> {
  const context = openCommandContext(command, options, config.secrets);
  const { signal } = abortOnSignal(undefined, context.line);
  try {
    const pipeline = openPipeline(config, context);
    try {
      return await work({ context, pipeline, signal });
    } finally {
      pipeline.close();
    }
  } finally {
    context.close();
  }
}

/** Publishes what a person changed, and prints it. Returns the exit code. */
export async function publishChange({ pipeline, context, signal }: OpenedCommand): Promise<number> {
  const published = await publishAfterRun(pipeline, context, signal);
  process.stdout.write(publishResultText(published, context.formatCommand));
  return exitCodeForSync('succeeded', published);
}
