/** The command line: argv in, words and exit code out. Each command is loaded when it is asked for. */
import { Command, CommanderError, Option } from 'commander';
import { version } from '../lib/version.ts';
import { parsePackageSelectors, parsePositiveInt, parseDay, parseInteger } from './parse-args.ts';
import { EXIT, exitCodeFor, printError } from './exit.ts';
import { DEFAULT_CONFIG } from '../health/commands.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

const program = new Command('vodhouse')
  .description('Keeps a SQL warehouse in step with a video-hosting service.')
  .version(version())
  .showHelpAfterError('(vodhouse --help shows the commands)')
  .configureHelp({ sortSubcommands: false })
  .exitOverride();

type Loader = () => Promise<(options: never, ...given: never[]) => Promise<number>>;

/** Adds a command that loads its own file; its options arrive as commander parsed them, then its arguments. */
function command(name: string, description: string, load: Loader): Command {
  return program
    .command(name)
    .description(description)
    .addOption(
      new Option('--log-level <level>', 'least severe messages to log').choices(LOG_LEVELS).default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'how to log, on stderr').choices(['text', 'json']).default('text'),
    )
    .action(async (...parameters: unknown[]) => {
      const run = await load();
      const [options, given] = [parameters.at(-2), parameters.slice(0, -2)];
      process.exitCode = await run(options as never, ...(given as never[]));
    });
}

function configured(name: string, description: string, load: Loader): Command {
  return command(name, description, load).option('--config <file>', 'the config', DEFAULT_CONFIG);
}

command(
  'demo',
  'a made-up account and a worker: see it run',
  async () => (await import('./commands/demo.ts')).demo,
)
  .option('--once', 'one sync, a summary, exit')
  .option('--file <file>', 'the warehouse of the demo', 'data/demo.db')
  .option('--churn <changes>', 'videos of the account that change a minute', parseInteger, 60);

configured(
  'init',
  'write a commented vodhouse.yaml and its JSON schema',
  async () => (await import('./commands/init.ts')).init,
);

configured(
  'check',
  'check the config, then ask the service the least that tells whether it works',
  async () => (await import('./commands/check.ts')).check,
)
  .option('--all', 'ask for every package')
  .option('--json', 'one JSON document on stdout');

configured(
  'plan',
  'what runs would cost in requests and time, and whether the limits carry the schedule; sends nothing',
  async () => (await import('./commands/plan.ts')).plan,
).option('--json', 'one JSON document on stdout');

configured('sync', 'one run now', async () => (await import('./commands/sync.ts')).sync)
  .option('--quick', 'look for what is new or gone only, in few requests')
  .option(
    '--package <id...>',
    'only these packages (implies --videos): ID in every account that has it, ACCOUNT/ID only there',
    parsePackageSelectors,
  )
  .option('--videos', 'only the videos')
  .option('--storage', 'only the storage statistics')
  .option(
    '--accept-removals [walk]',
    'let through what is held back and proved again; with a number: what that walk or an earlier one held back',
    parsePositiveInt,
  )
  .option('--from <date>', 'with --storage: the first day to request, also one that was given up', parseDay)
  .option('--to <date>', 'with --storage: the last day to request; default yesterday', parseDay)
  .option(
    '--accept-page',
    'with --package: store pages that look like those of another package; it was filled with other videos',
  )
  .option('--wait', 'wait for a run that is under way')
  .option('--json', 'one JSON document on stdout');

configured(
  'start',
  'the worker: runs by schedule until SIGTERM',
  async () => (await import('./commands/start.ts')).start,
);

configured(
  'status',
  'how things stand: freshness, last runs, budgets, gaps, what needs a person',
  async () => (await import('./commands/status.ts')).status,
)
  .option('--requests', 'the last requests')
  .option('--json', 'one JSON document on stdout');

configured(
  'publish',
  'make the file that others read anew, now',
  async () => (await import('./commands/publish.ts')).publish,
).option('--json', 'one JSON document on stdout');

configured(
  'correct',
  "take the service's present figures of a booked day as a correction; the booked row stands",
  async () => (await import('./commands/correct.ts')).correct,
)
  .argument('<account>', 'name of the account')
  .argument('<date>', 'the booked day, yyyy-mm-dd')
  .option('--reason <text>', 'why, kept with the correction')
  .option('--yes', 'do not ask');

configured(
  'backup',
  'a consistent copy of the warehouse, also during a run',
  async () => (await import('./commands/backup.ts')).backup,
)
  .argument('<file>', 'where to; nothing may be there yet')
  .option('--json', 'one JSON document on stdout');

configured(
  'restore',
  'put a backup in the place of the warehouse, and keep that beside it',
  async () => (await import('./commands/restore.ts')).restore,
)
  .argument('<file>', 'the backup')
  .option('--json', 'one JSON document on stdout');

command(
  'sandbox',
  'only the made-up account, to point a config at',
  async () => (await import('./commands/sandbox.ts')).sandbox,
)
  .option('--port <port>', 'port on 127.0.0.1', parseInteger, 8330)
  .option('--videos <n>', 'videos of each package', parseInteger)
  .option('--packages <n>', 'number of packages, each of --videos', parsePositiveInt)
  .option('--seed <n>', 'another account for another number', parseInteger)
  .option('--churn <n>', 'changes a minute: uploads, edits, deletions, re-adds', parseInteger, 0)
  .option('--page-size-max <n>', 'largest page it gives', parsePositiveInt);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else {
    printError(error);
    process.exitCode = exitCodeFor(error);
  }
}
