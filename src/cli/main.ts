/** The command line: arguments in, text and exit code out. Only the file of the command that runs is loaded. */
import { Argument, CommanderError, Option } from 'commander';
import { command, configured, helpHint, JSON_OPTION, program } from './command.ts';
import {
  parseForgetTarget,
  parsePackageSelectors,
  parsePositiveInt,
  parseDay,
  parseInteger,
} from './parse-args.ts';
import { EXIT, exitCodeFor, printError } from './exit.ts';
import { ignoreClosedLog } from '../lib/log-pipe.ts';
import type { Shell } from './completion.ts';

command(
  'demo',
  'run a sandbox account that changes, a worker that follows it, and the status page',
  async () => (await import('./commands/demo.ts')).demo,
)
  .option('--once', 'make one run, print a summary, exit')
  .option('--file <file>', 'warehouse of the demo', 'data/demo.db')
  .option('--churn <changes>', 'videos of the account that change per minute', parseInteger, 60);

configured(
  'init',
  'write a commented vodhouse.yaml, its JSON schema and an empty .env',
  async () => (await import('./commands/init.ts')).init,
);

configured(
  'check',
  "check the config, then request one package of each account and yesterday's storage, and connect to the targets",
  async () => (await import('./commands/check.ts')).check,
)
  .option('--all', 'request every package')
  .option(...JSON_OPTION);

configured(
  'plan',
  'show what runs cost in requests and time, and whether the limits allow the schedule; sends nothing',
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
    'apply held-back removals that this run confirms; with WALK: only those held back by that walk or earlier',
    parsePositiveInt,
  )
  .option('--from <date>', 'with --storage: first day to request, even if it was given up', parseDay)
  .option('--to <date>', 'with --storage: last day to request (default: yesterday)', parseDay)
  .option(
    '--accept-page',
    'with --package: store pages that look like those of another package, because it was filled with other videos',
  )
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
  'notify',
  'send a test message to the webhook',
  async () => (await import('./commands/notify.ts')).notify,
)
  .option('--test', 'send one test message now')
  .option(...JSON_OPTION);

configured(
  'acknowledge',
  'accept drift that a person has seen, so that status needs no attention for it',
  async () => (await import('./commands/acknowledge.ts')).acknowledge,
).argument('[account/stream/field]', 'which drift, such as main/videos/playcount; left out: all');

configured(
  'resume',
  'end the pause of an account before its time',
  async () => (await import('./commands/resume.ts')).resume,
).argument('<account>', 'name of the account');

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
  'forget',
  'delete all rows of an account, or of a package, that left the config',
  async () => (await import('./commands/forget.ts')).forget,
)
  .argument('<account[/id]>', 'what to delete: an account, or one of its packages', parseForgetTarget)
  .option('--yes', 'do not ask')
  .option('--no-backup', 'do not back up the warehouse first');

configured(
  'correct',
  "accept the service's present figures of a booked day as a correction; the booked row does not change",
  async () => (await import('./commands/correct.ts')).correct,
)
  .argument('<account>', 'name of the account')
  .argument('<date>', 'the booked day, yyyy-mm-dd')
  .option('--reason <text>', 'reason, stored with the correction')
  .option('--yes', 'do not ask for confirmation');

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

program
  .command('completion')
  .showHelpAfterError(helpHint('completion'))
  .description('print the script that completes commands and options in a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
  .action(async (shell: Shell) => {
    process.exitCode = await (await import('./commands/completion.ts')).completion(program, shell);
  });

program
  .command('complete', { hidden: true })
  .description('what may follow, for the script of vodhouse completion')
  .argument('[words...]')
  .action(async (words: string[]) => {
    process.exitCode = await (await import('./commands/completion.ts')).complete(program, words);
  });

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(
    `vodhouse: stdout cannot be written: ${error.code === 'ENOSPC' ? 'the disk is full' : error.message}\n`,
  );
  process.exit(EXIT.failed);
});

ignoreClosedLog();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else {
    printError(error);
    process.exitCode = exitCodeFor(error);
  }
}
