/** What all commands have in common: how they are loaded, and their options for logs and the config. */
import { Command, Option } from 'commander';
import { DEFAULT_CONFIG } from '../health/commands.ts';
import { LOG_LEVELS } from '../lib/log-levels.ts';
import { version } from '../lib/package-root.ts';
import { EXIT } from './exit.ts';

/** The whole command line; `command-line.ts` adds the commands. */
export const program = new Command('vodhouse')
  .description('Keeps a SQL warehouse in step with a video-hosting service.')
  .version(version())
  .showHelpAfterError('(vodhouse --help lists the commands)')
  .helpCommand(false)
  .exitOverride();

type Loader = () => Promise<(options: never, ...given: never[]) => Promise<number>>;

const withConfig = new Set<Command>();
let exitCode: number = EXIT.done;

/** The exit code of the last command that ran; 0 where none did. */
export const getExitCode = (): number => exitCode;

/** Adds a command that loads its own file. It gets its options as commander parsed them, then its arguments. */
export function command(name: string, description: string, load: Loader): Command {
  return program
    .command(name)
    .description(description)
    .showHelpAfterError(`(vodhouse ${name} --help lists its options)`)
    .action(async (...parameters: unknown[]) => {
      const run = await load();
      const [options, given] = [parameters.at(-2), parameters.slice(0, -2)];
      exitCode = await run(options as never, ...(given as never[]));
    });
}

/** Adds a command that reads a config. */
export function configured(name: string, description: string, load: Loader): Command {
  const added = command(name, description, load);
  withConfig.add(added);
  return added;
}

/** Adds what every command has, behind its own options. */
export function addSharedOptions(): void {
  for (const each of program.commands) {
    each.optionsGroup('Shared options:');
    if (withConfig.has(each)) each.option('--config <file>', 'the config file', DEFAULT_CONFIG);
    each
      .addOption(
        new Option('--log-level <level>', 'least severe messages to log').choices(LOG_LEVELS).default('info'),
      )
      .addOption(
        new Option('--log-format <format>', 'format of the log on stderr')
          .choices(['text', 'json'])
          .default('text'),
      )
      .helpOption('-h, --help', 'print this');
  }
}

export const JSON_OPTION = ['--json', 'print one JSON document on stdout'] as const;
