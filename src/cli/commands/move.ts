import { existsSync } from 'node:fs';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/config.ts';
import {
  backUpBoth,
  brokenOffHint,
  lockFiles,
  makeMove,
  forgetMove,
  planForgetMove,
  planMove,
  planTakeBack,
  resolveDestination,
  takeBack,
} from '../../app/move.ts';
import { previewMove, type MovePreview } from '../../app/preview-move.ts';
import { openPipeline } from '../../app/pipeline.ts';
import { openDatabase, type Db } from '../../database/connection.ts';
import { commandsFor, shellQuote, type FormatCommand } from '../../health/commands.ts';
import type { MovedAccount } from '../../lib/account-origins.ts';
import { ConfigError, errorMessage, NEXT_LINE, VodhouseError } from '../../lib/errors.ts';
import { formatCount } from '../../lib/format.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import { findMove } from '../../warehouse/statements/account-move.ts';
import { getFileUse } from '../../warehouse/statements/warehouse-state.ts';
import { openCommandContext, type CommandContext, type ConfigOptions } from '../command-context.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT } from '../exit.ts';
import { nextSteps } from '../output/move-text.ts';
import { displayPath } from '../output/output.ts';
import { publishResultText } from '../output/publication-text.ts';
import { formatTable } from '../output/table.ts';
import { exitCodeForSync, publishAfterRun } from '../publish-after-run.ts';
import { abortOnSignal } from '../signals.ts';

export interface MoveOptions extends ConfigOptions {
  to?: string;
  takeBack?: true;
  forgetMove?: true;
  yes?: true;
  /** False with `--no-backup`. */
  backup: boolean;
}

interface Move {
  options: MoveOptions;
  account: string;
  config: Config;
  context: CommandContext;
  signal: AbortSignal;
}

/** `vodhouse move ACCOUNT --to FILE`: moves an account into another live file. Returns the exit code. */
export async function move(options: MoveOptions, account: string): Promise<number> {
  const config = loadConfig(options.config);
  assertUsage(options, account);
  if (!existsSync(config.warehouse)) throw new ConfigError(`there is no warehouse at ${config.warehouse}`);
  const context = await openCommandContext('move', options, config.secrets);
  const { signal } = abortOnSignal();
  const given = { options, account, config, context, signal };
  try {
    const isMoved = options.to === undefined ? await undo(given) : await moveTo(given, options.to);
    if (!isMoved) return EXIT.done;
    return await publishSource(given);
  } finally {
    context.close();
  }
}

function assertUsage(
  { to, takeBack: isUndo, forgetMove: isForgotten, config }: MoveOptions,
  account: string,
): void {
  if ([to, isUndo, isForgotten].filter((each) => each !== undefined).length === 1) return;
  const hint = commandsFor(config)(`move ${shellQuote(account)} --to FILE`);
  throw new ConfigError('move needs one of --to FILE, --take-back and --forget-move', { hint });
}

/** True if rows of this file have gone. */
async function moveTo({ options, account, config, context, signal }: Move, to: string): Promise<boolean> {
  const { clock } = context;
  const path = resolveDestination(config, to);
  const given = { config, account, clock, signal, formatCommand: commandsFor(options.config) };
  const plan = previewMove(given, path);
  if (plan.doneAs !== null) {
    const name = plan.doneAs === account ? '' : `, as ${plan.doneAs}`;
    const steps = nextSteps({
      config,
      account,
      path,
      otherConfig: null,
      isLast: isLastAccount(config, account),
    });
    process.stdout.write(`account ${account} is in ${displayPath(path)} already${name}\n${steps}`);
    return false;
  }
  process.stdout.write(planText(plan, account, path));
  const command = given.formatCommand(`move ${shellQuote(account)} --to ${shellQuote(to)}`);
  const question = `Move all these rows of ${account} to ${displayPath(path)}?`;
  if (!options.yes && !(await isConfirmed(question, command, signal))) {
    process.stdout.write('nothing was changed\n');
    return false;
  }
  await moveNow({ options, account, config, context, signal }, path);
  return true;
}

/** After the question: what was planned may have changed by now, so it is planned again, under the locks of both files. */
async function moveNow({ options, account, config, context, signal }: Move, path: string): Promise<void> {
  const { clock, announce } = context;
  const given = { config, account, clock, signal, formatCommand: commandsFor(options.config) };
  const lock = lockFiles([config.warehouse, path], clock.now());
  const from = openDatabase(config.warehouse, clock.now());
  try {
    planMove(given, from, path);
    if (options.backup) {
      announce('backing up …\n');
      for (const copy of await backUpBoth([config.warehouse, path], given))
        process.stdout.write(`backed up to ${displayPath(copy)}\n`);
    }
    announce(`moving ${account} …\n`);
    await orBrokenOff(given, from, () => makeMove(given, from, path));
    process.stdout.write(`moved ${account} to ${displayPath(path)}\n\n`);
    const otherConfig = readConfigFile(path, clock.now());
    const isLast = isLastAccount(config, account);
    process.stdout.write(nextSteps({ config, account, path, otherConfig, isLast }));
  } finally {
    from.$client.close();
    lock.release();
  }
}

/** Says what to type where the move stopped between two steps. */
async function orBrokenOff(
  { account, formatCommand }: { account: string; formatCommand: FormatCommand },
  from: Db,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const left = findMove(from, account);
    if (left?.state !== 'leaving' || !(error instanceof VodhouseError)) throw error;
    const hint = [error.hint, brokenOffHint(left, formatCommand)]
      .filter((each) => each !== undefined)
      .join(NEXT_LINE);
    throw Object.assign(error, {
      message: `${errorMessage(error)}; the move of ${account} is not finished, and nothing is lost`,
      hint,
    });
  }
}

function planText({ rows, resumed, notice }: MovePreview, account: string, path: string): string {
  const table = formatTable(
    ['table', '>rows'],
    rows.map(({ table, rows }) => [table, formatCount(rows)]),
  );
  const begun = resumed === null ? '' : `goes on with the move that was begun ${resumed.at} UTC\n`;
  const target = existsSync(path) ? '' : `${displayPath(path)} is not there yet: it is made\n`;
  const units = notice === null ? '' : `${notice}\n`;
  return `account ${account} in this warehouse:\n${table}\n${begun}${target}${units}\n`;
}

/** The config that used the other file last; null if none did. */
function readConfigFile(path: string, now: number): string | null {
  const db = openDatabase(path, now);
  try {
    return getFileUse(db).file;
  } finally {
    db.$client.close();
  }
}

/** Once it has moved, does the first file sync no other account of the config? */
function isLastAccount({ accounts, warehouse }: Config, account: string): boolean {
  const statusQueries = openStatusQueries(warehouse);
  try {
    const left = statusQueries.movesAway().filter(({ state }) => state === 'left');
    return accounts.every(({ name }) => name === account || left.some((each) => each.account === name));
  } finally {
    statusQueries.close();
  }
}

/** What each of the two options does, and says. */
const WAYS_BACK = {
  takeBack: {
    ...{ option: '--take-back', plan: planTakeBack, apply: takeBack },
    ask: ({ account, otherFile }: MovedAccount) => `Take the move of ${account} to ${otherFile} back?`,
    done: (account: string) => `took back the move of ${account}: it is synced here again`,
  },
  forgetMove: {
    ...{ option: '--forget-move', plan: planForgetMove, apply: forgetMove },
    ask: ({ account, otherFile }: MovedAccount) =>
      `If a file with ${account} comes back to ${otherFile}, both files would have the account. Forget that it was moved there?`,
    done: (account: string) =>
      `forgot the move of ${account}: a config of this file may have it again\nnext: sync fetches what is not here; a copy from before the move has the history`,
  },
};

/** Takes a move back, or forgets it. False: no rows of this file have gone. */
async function undo({ options, account, config, context, signal }: Move): Promise<boolean> {
  const lock = lockFiles([config.warehouse], context.clock.now());
  const from = openDatabase(config.warehouse, context.clock.now());
  try {
    const formatCommand = commandsFor(options.config);
    const given = { config, account, clock: context.clock, formatCommand };
    const way = options.forgetMove ? WAYS_BACK.forgetMove : WAYS_BACK.takeBack;
    const begun = way.plan(given, from);
    const isThere = existsSync(begun.otherFile);
    const other = isThere ? lockFiles([begun.otherFile], context.clock.now()) : null;
    try {
      const question = isThere
        ? way.ask(begun)
        : `${begun.otherFile} is not there: it may come back with ${account} in it. ${way.ask(begun)}`;
      const command = formatCommand(`move ${shellQuote(account)} ${way.option}`);
      if (!options.yes && !(await isConfirmed(question, command, signal))) {
        process.stdout.write('nothing was changed\n');
        return false;
      }
      way.apply(given, from, begun);
    } finally {
      other?.release();
    }
    process.stdout.write(`${way.done(account)}\n`);
    return false;
  } finally {
    from.$client.close();
    lock.release();
  }
}

/** Readers of the published file no longer find the account. */
async function publishSource({ config, context, signal }: Move): Promise<number> {
  const pipeline = openPipeline(config, context);
  try {
    const published = await publishAfterRun(pipeline, context, signal, null);
    process.stdout.write(publishResultText(published));
    return exitCodeForSync('succeeded', published);
  } finally {
    await pipeline.close();
  }
}
