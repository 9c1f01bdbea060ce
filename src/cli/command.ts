/** What all commands have in common: how they are loaded, and their options for logs and the config. */
import { Command, Option } from 'commander';
import { DEFAULT_CONFIG } from '../health/commands.ts';
import { LOG_LEVELS } from '../lib/log-levels.ts';
import { version } from '../lib/version.ts';

/** The whole command line; `main.ts` adds the commands. */
export const program = new Command('vodhouse')
  .description('Keeps a SQL warehouse in step with a video-hosting service.')
  .version(version())
  .showHelpAfterError('(vodhouse --help lists the commands)')
  .configureHelp({ sortSubcommands: false })
  .exitOverride();

/** The last line of a usage error of a command. */
export function helpHint(name: string): string {
  return `(vodhouse ${name} --help lists its options)`;
}

type Loader = () => Promise<(options: never, ...given: never[]) => Promise<number>>;

/** Adds a command that loads its own file. It gets its options as commander parsed them, then its arguments. */
export function command(name: string, description: string, load: Loader): Command {
  return program
    .command(name)
    .description(description)
    .showHelpAfterError(helpHint(name))
    .addOption(
      new Option('--log-level <level>', 'least severe messages to log').choices(LOG_LEVELS).default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'format of the log on stderr')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(async (...parameters: unknown[]) => {
      const run = await load();
      const [options, given] = [parameters.at(-2), parameters.slice(0, -2)];
      process.exitCode = await run(options as never, ...(given as never[]));
    });
}

/** Adds a command that reads a config. */
export function configured(name: string, description: string, load: Loader): Command {
  return command(name, description, load).option('--config <file>', 'the config file', DEFAULT_CONFIG);
}

export const JSON_OPTION = ['--json', 'print one JSON document on stdout'] as const;
