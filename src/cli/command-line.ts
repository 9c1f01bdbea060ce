/** Declares all commands and their options. Only the module of the command that runs is loaded. */
import { Command, CommanderError, Option } from 'commander';
import { commandsFor, DEFAULT_CONFIG } from '../lib/shell-command.ts';
import { LOG_LEVELS } from '../lib/log-levels.ts';
import { version } from '../lib/package-root.ts';
import { STREAM_KINDS, STREAMS } from '../sync/streams.ts';
import {
  EXPORT_FORMATS,
  TARGET_OPTIONS,
  parseForgetTarget,
  parsePackageSelectors,
  parsePositiveInt,
  parseDay,
  parseInteger,
  parseWalk,
} from './parse-args.ts';
import { EXIT, exitCodeFor, printError } from './exit.ts';

const program = new Command('vodhouse')
  .description('Keeps a SQL warehouse in step with a video-hosting service.')
  .version(version())
  .showHelpAfterError('(vodhouse --help lists the commands)')
  .helpCommand(false)
  .exitOverride();

let exitCode: number = EXIT.done;
/** The `--config` of the command that runs. */
let config: string = DEFAULT_CONFIG;

program.hook('preAction', (_program, running) => {
  ({ config = DEFAULT_CONFIG } = running.opts<{ config?: string }>());
});

/** Adds a command. */
function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .showHelpAfterError(`(vodhouse ${name} --help lists its options)`);
}

/**
 * The action of a command. `load` imports the function of the command, so that a process loads no other one.
 * That function gets the arguments and then the options, as they are declared. It returns the exit code, or
 * nothing for 0.
 */
function withExitCode<Given extends unknown[]>(
  load: () => Promise<(...given: Given) => Promise<number> | Promise<void>>,
) {
  return async (...given: Given): Promise<void> => {
    const run = await load();
    const code = await run(...given);
    exitCode = code ?? EXIT.done;
  };
}

const JSON_OPTION = ['--json', 'print one JSON document on stdout'] as const;

program.commandsGroup('Daily:');

command('init', 'write a vodhouse.yaml, its JSON schema and an empty .env').action(
  withExitCode(async () => (await import('./commands/init.ts')).init),
);

command('check', 'check the config, and with few requests each account and target')
  .action(withExitCode(async () => (await import('./commands/check.ts')).check))
  .option('--all', 'request every package')
  .option('--notify', 'send a test message to the webhook')
  .option(...JSON_OPTION);

command('plan', 'show what runs cost in requests and time, and whether it fits the limits; sends nothing')
  .action(withExitCode(async () => (await import('./commands/plan.ts')).plan))
  .option(...JSON_OPTION);

const syncCommand = command('sync', 'make one run now')
  .action(withExitCode(async () => (await import('./commands/sync.ts')).sync))
  .option('--quick', 'find only new and removed videos, with few requests')
  .option(
    '--package <id...>',
    'only these packages (implies --videos): ID in every account that has it, ACCOUNT/ID in that account',
    parsePackageSelectors,
  );
for (const stream of STREAMS) syncCommand.option(`--${stream}`, `only the ${STREAM_KINDS[stream].what}`);
syncCommand
  .option(
    '--accept-removals [walk]',
    'apply held-back removals that this run confirms, and with --package, accept its other videos; ' +
      'with walk:NUMBER: only removals held back by then',
    parseWalk,
  )
  .option('--from <date>', 'with --storage: first day to request, even if it was given up', parseDay)
  .option('--to <date>', 'with --storage: last day to request (default: yesterday)', parseDay)
  .option('--accept-retirements', 'retire any number of packages that left the config')
  .option('--verbose', 'a line for each package, also where nothing changed')
  .option('--wait', 'wait until a run of another process has ended')
  .option(...JSON_OPTION);

command('start', 'start the worker: runs by schedule until SIGTERM').action(
  withExitCode(async () => (await import('./commands/start.ts')).start),
);

command('status', 'show what needs attention, freshness, drift, budgets and the last runs')
  .action(withExitCode(async () => (await import('./commands/status.ts')).status))
  .option('--requests', 'show the last requests instead')
  .option(...JSON_OPTION);

command('runs', 'show the last runs, or one run in full')
  .action(withExitCode(async () => (await import('./commands/runs.ts')).runs))
  .argument('[run]', 'number of the run to show in full', parsePositiveInt)
  .option('--failed', 'only runs that failed, were done in part, or were killed')
  .option('--limit <n>', 'number of runs to list', parsePositiveInt, 20)
  .option(...JSON_OPTION);

command('publish', 'rebuild the published file now, and load the targets')
  .action(withExitCode(async () => (await import('./commands/publish.ts')).publish))
  .addOption(new Option('--file-only', 'rebuild the file, and load no target').conflicts([...TARGET_OPTIONS]))
  .option('--target <name>', 'load only this target; the file is rebuilt only if it lacks something')
  .option('--verify', 'compare every value of every account in the targets with the file')
  .option('--rebuild <account>', 'load this account again completely; asks first')
  .addOption(
    new Option(
      '--take-over <account>',
      'load this account, which another warehouse has; asks first',
    ).conflicts('rebuild'),
  )
  .option('--yes', 'with --rebuild and --take-over: do not ask')
  .addOption(
    new Option(
      '--print-sql',
      'print the SQL that makes the schema of the targets; connects to nothing',
    ).conflicts(['verify', 'rebuild', 'takeOver', 'json']),
  )
  .option(...JSON_OPTION);

program.commandsGroup('Data:');

command('query', 'print the result of one select on the published file')
  .action(withExitCode(async () => (await import('./commands/query.ts')).query))
  .argument('<sql>', 'the SQL; - reads it from stdin')
  .option('--file <file>', 'this published file, in place of that of the config')
  .addOption(new Option('--csv', 'print CSV with a heading, all rows').conflicts('json'))
  .option(...JSON_OPTION);

command('export', 'write one published table as Parquet, CSV or NDJSON')
  .action(withExitCode(async () => (await import('./commands/export.ts')).exportTables))
  .addOption(new Option('--format <format>', 'format; default: the ending of --out').choices(EXPORT_FORMATS))
  .addOption(new Option('--table <name>', 'the table or view; default: videos').conflicts('all'))
  .option('--all', 'every table, each as a file in the folder of --out')
  .requiredOption(
    '--out <file>',
    'the file, replaced when the export is complete; - writes to stdout; with --all: a folder',
  )
  .option('--file <file>', 'this published file, in place of that of the config')
  .option(...JSON_OPTION);

command('backup', 'copy the warehouse and check the copy, also during a run')
  .action(withExitCode(async () => (await import('./commands/backup.ts')).backup))
  .argument('<file>', 'path of the copy; an existing file is not overwritten')
  .option(...JSON_OPTION);

command('restore', 'put a backup in place of the warehouse and keep the previous file')
  .action(withExitCode(async () => (await import('./commands/restore.ts')).restore))
  .argument('<file>', 'the backup')
  .option('--as-new', 'as another warehouse with an id of its own, to split the accounts over two machines')
  .option(...JSON_OPTION);

program.commandsGroup('Repair:');

command('resume', 'end the pause of an account before its time')
  .action(withExitCode(async () => (await import('./commands/resume.ts')).resume))
  .argument('<account>', 'name of the account');

command('acknowledge', 'accept drift that a person has seen: status no longer shows it')
  .action(withExitCode(async () => (await import('./commands/acknowledge.ts')).acknowledge))
  .argument('[account/stream/field]', 'which drift, such as main/videos/playcount; left out: all');

command('correct', "accept the service's present figures of a booked day; the booked row does not change")
  .action(withExitCode(async () => (await import('./commands/correct.ts')).correct))
  .argument('<account>', 'name of the account')
  .argument('<date>', 'the booked day, yyyy-mm-dd', parseDay)
  .option('--reason <text>', 'reason, stored with the correction')
  .option('--yes', 'do not ask for confirmation');

command('forget', 'delete all rows of an account, or of a package, that left the config')
  .action(withExitCode(async () => (await import('./commands/forget.ts')).forget))
  .argument('<account[/id]>', 'what to delete: an account, or one of its packages', parseForgetTarget)
  .option('--yes', 'do not ask')
  .option('--no-backup', 'do not back up the warehouse first');

program.commandsGroup('Try:');

command('demo', 'run a sandbox account that changes, a worker that follows it, and the status page')
  .action(withExitCode(async () => (await import('./commands/demo.ts')).demo))
  .option('--once', 'make one run, print a summary, exit')
  .option('--file <file>', 'warehouse of the demo', 'data/demo.db')
  .option('--churn <changes>', 'videos of the account that change per minute', parseInteger, 60);

command('sandbox', 'run only the sandbox account, to point a config at it')
  .action(withExitCode(async () => (await import('./commands/sandbox.ts')).sandbox))
  .option('--port <port>', 'port on 127.0.0.1 (0: any free port)', parseInteger, 8330)
  .option('--videos <n>', 'number of videos in each package', parseInteger)
  .option('--packages <n>', 'number of packages', parsePositiveInt)
  .option('--seed <n>', 'another number gives another account', parseInteger, 1)
  .option('--churn <n>', 'changes per minute: uploads, edits, deletions, re-adds', parseInteger, 0)
  .option('--page-size-max <n>', 'largest page size that it returns', parsePositiveInt, 1000);

const WITHOUT_CONFIG = ['demo', 'sandbox'];

for (const each of program.commands) {
  each.optionsGroup('Shared options:');
  if (!WITHOUT_CONFIG.includes(each.name()))
    each.option('--config <file>', 'the config file', DEFAULT_CONFIG);
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

/** Runs the command of these arguments, prints the error that ends it, and returns the exit code. */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(given, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    printError(error, commandsFor(config));
    return exitCodeFor(error);
  }
}
