/** All commands and their options. Only the file of the command that runs is loaded. */
import { CommanderError, Option } from 'commander';
import { addSharedOptions, command, configured, getExitCode, JSON_OPTION, program } from './command.ts';
import {
  parseForgetTarget,
  parsePackageSelectors,
  parsePositiveInt,
  parseDay,
  parseInteger,
} from './parse-args.ts';
import { EXIT, exitCodeFor, printError } from './exit.ts';

program.commandsGroup('Daily:');

configured(
  'init',
  'write a vodhouse.yaml, its JSON schema and an empty .env',
  async () => (await import('./commands/init.ts')).init,
);

configured(
  'check',
  'check the config, and with the fewest requests each account and target',
  async () => (await import('./commands/check.ts')).check,
)
  .option('--all', 'request every package')
  .option('--notify', 'send a test message to the webhook')
  .option(...JSON_OPTION);

configured(
  'plan',
  'show what runs cost in requests and time, and whether it fits the limits; sends nothing',
  async () => (await import('./commands/plan.ts')).plan,
).option(...JSON_OPTION);

configured('sync', 'make one run now', async () => (await import('./commands/sync.ts')).sync)
  .option('--quick', 'find only new and removed videos, with few requests')
  .option(
    '--package <id...>',
    'only these packages (implies --videos): ID in every account that has it, ACCOUNT/ID in that account',
    parsePackageSelectors,
  )
  .option('--videos', 'only the videos')
  .option('--storage', 'only the storage statistics')
  .option(
    '--accept-removals [walk]',
    'apply held-back removals that this run confirms, and with --package, accept its other videos; with WALK: only removals held back by then',
    parsePositiveInt,
  )
  .option('--from <date>', 'with --storage: first day to request, even if it was given up', parseDay)
  .option('--to <date>', 'with --storage: last day to request (default: yesterday)', parseDay)
  .option('--accept-retirements', 'retire any number of packages that left the config')
  .option('--verbose', 'a line for each package, also where nothing changed')
  .option('--wait', 'wait until a run of another process has ended')
  .option(...JSON_OPTION);

configured(
  'start',
  'start the worker: runs by schedule until SIGTERM',
  async () => (await import('./commands/start.ts')).start,
);

configured(
  'status',
  'show what needs attention, freshness, drift, budgets and the last runs',
  async () => (await import('./commands/status.ts')).status,
)
  .option('--requests', 'show the last requests instead')
  .option(...JSON_OPTION);

configured(
  'runs',
  'show the last runs, or one run in full',
  async () => (await import('./commands/runs.ts')).runs,
)
  .argument('[run]', 'number of the run to show in full', parsePositiveInt)
  .option('--failed', 'only runs that failed, were done in part, or were killed')
  .option('--limit <n>', 'number of runs to list (default: 20)', parsePositiveInt)
  .option(...JSON_OPTION);

configured(
  'publish',
  'rebuild the published file now, and load the targets',
  async () => (await import('./commands/publish.ts')).publish,
)
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
    ).conflicts([...['verify', 'rebuild', 'takeOver', 'json']]),
  )
  .option(...JSON_OPTION);

program.commandsGroup('Data:');

configured(
  'query',
  'print the result of one select on the published file',
  async () => (await import('./commands/query.ts')).query,
)
  .argument('<sql>', 'the SQL; - reads it from stdin')
  .option('--file <file>', 'this published file, in place of that of the config')
  .addOption(new Option('--csv', 'print CSV with a heading, all rows').conflicts('json'))
  .option(...JSON_OPTION);

configured(
  'export',
  'write one published table as Parquet, CSV or NDJSON',
  async () => (await import('./commands/export.ts')).exportTable,
)
  .addOption(
    new Option('--format <format>', 'format of the rows')
      .choices(['parquet', 'csv', 'ndjson'])
      .makeOptionMandatory(),
  )
  .addOption(new Option('--table <name>', 'the table or view; default: videos').conflicts('all'))
  .addOption(new Option('--all', 'every table, each as a file in the folder of --out').conflicts('sinceSeq'))
  .option(
    '--since-seq <number>',
    'of videos, video_history or video_versions: only rows that are new or different since this change_seq',
    parseInteger,
  )
  .requiredOption(
    '--out <file>',
    'the file, replaced when the export is complete; - writes to stdout; with --all: a folder',
  )
  .option('--file <file>', 'this published file, in place of that of the config')
  .option(...JSON_OPTION);

configured(
  'backup',
  'copy the warehouse and check the copy, also during a run',
  async () => (await import('./commands/backup.ts')).backup,
)
  .argument('<file>', 'path of the copy; an existing file is not overwritten')
  .option(...JSON_OPTION);

configured(
  'restore',
  'put a backup in place of the warehouse and keep the previous file',
  async () => (await import('./commands/restore.ts')).restore,
)
  .argument('<file>', 'the backup')
  .option('--as-new', 'as another warehouse with an id of its own, to split the accounts over two machines')
  .option(...JSON_OPTION);

program.commandsGroup('Repair:');

configured(
  'resume',
  'end the pause of an account before its time',
  async () => (await import('./commands/resume.ts')).resume,
).argument('<account>', 'name of the account');

configured(
  'acknowledge',
  'accept drift that a person has seen: status no longer shows it',
  async () => (await import('./commands/acknowledge.ts')).acknowledge,
).argument('[account/stream/field]', 'which drift, such as main/videos/playcount; left out: all');

configured(
  'correct',
  "accept the service's present figures of a booked day; the booked row does not change",
  async () => (await import('./commands/correct.ts')).correct,
)
  .argument('<account>', 'name of the account')
  .argument('<date>', 'the booked day, yyyy-mm-dd')
  .option('--reason <text>', 'reason, stored with the correction')
  .option('--yes', 'do not ask for confirmation');

configured(
  'forget',
  'delete all rows of an account, or of a package, that left the config',
  async () => (await import('./commands/forget.ts')).forget,
)
  .argument('<account[/id]>', 'what to delete: an account, or one of its packages', parseForgetTarget)
  .option('--yes', 'do not ask')
  .option('--no-backup', 'do not back up the warehouse first');

program.commandsGroup('Try:');

command(
  'demo',
  'run a sandbox account that changes, a worker that follows it, and the status page',
  async () => (await import('./commands/demo.ts')).demo,
)
  .option('--once', 'make one run, print a summary, exit')
  .option('--file <file>', 'warehouse of the demo', 'data/demo.db')
  .option('--churn <changes>', 'videos of the account that change per minute', parseInteger, 60);

command(
  'sandbox',
  'run only the sandbox account, to point a config at it',
  async () => (await import('./commands/sandbox.ts')).sandbox,
)
  .option('--port <port>', 'port on 127.0.0.1 (0: any free port)', parseInteger, 8330)
  .option('--videos <n>', 'number of videos in each package', parseInteger)
  .option('--packages <n>', 'number of packages', parsePositiveInt)
  .option('--seed <n>', 'another number gives another account', parseInteger)
  .option('--churn <n>', 'changes per minute: uploads, edits, deletions, re-adds', parseInteger, 0)
  .option('--page-size-max <n>', 'largest page size that it returns', parsePositiveInt);

addSharedOptions();

/** Runs the command of these arguments, prints the error that ends it, and returns the exit code. */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(given, { from: 'user' });
    return getExitCode();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    printError(error);
    return exitCodeFor(error);
  }
}
