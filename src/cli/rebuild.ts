/** `publish --rebuild`: which account, and what will be done to whom. */
import { createInterface } from 'node:readline/promises';
import type { Config, TargetConfig } from '../config/config.ts';
import { commandsFor, shellQuote } from '../health/commands.ts';
import { ConfigError, VodhouseError } from '../lib/errors.ts';
import { escapeControls, pluralize } from '../lib/format.ts';
import { createHolder } from '../publishing/targets/holder.ts';
import type { AccountHolder } from '../publishing/targets/account-holder.ts';
import { countAccountRows, describeTargetError, readHolders } from '../publishing/targets/target-kinds.ts';
import { isConfirmed } from './confirm.ts';
import { assertKnownAccount, type PublishOptions } from './load-request.ts';

const CONNECT_DEADLINE_MS = 30_000;

/** Throws ConfigError if nobody can be asked for the account. */
export function assertCanAsk({ rebuild, config }: PublishOptions, target: string): void {
  if (rebuild !== true || process.stdin.isTTY) return;
  throw new ConfigError('--rebuild needs the account: stdin is not a terminal; nothing was changed', {
    hint: commandsFor(config)(`publish --target ${shellQuote(target)} --rebuild ACCOUNT`),
  });
}

/** What is known of accounts without the target. */
export interface OwnAccounts {
  /** Those of the live file. */
  stored: readonly string[];
  /** How many rows a table of the live file has of an account. */
  countRows: (account: string, table: 'video' | 'video_version') => number;
  warehouseId: string;
}

/**
 * Says on stderr who has the account, and what will be done. Asks for the account if it was not given, and before rows go
 * that this file lacks, unless `--yes` was given. Null if the person typed none, or did not confirm. Throws ConfigError for
 * an account that nobody knows and where nobody can be asked, VodhouseError if the target cannot be read, and
 * InterruptedError if the signal aborts.
 */
export async function chooseRebuild(
  config: Config,
  target: TargetConfig,
  { rebuild: given = true, yes, config: file }: PublishOptions,
  own: OwnAccounts,
  signal: AbortSignal,
): Promise<string | null> {
  const names = [...new Set([...config.accounts.map(({ name }) => name), ...own.stored])];
  const holders = await readTarget(target, () => readHolders(target, CONNECT_DEADLINE_MS));
  const gone = holders.filter((row) => !names.includes(row.account) && row.warehouseId === own.warehouseId);
  const known = [...names, ...gone.map(({ account }) => account)];
  if (given !== true) assertKnownAccount(given, known);
  const describe = createDescription(config, target, holders, own);
  for (const account of given === true ? known : [given])
    process.stderr.write(`${escapeControls(describe(account))}\n`);
  const account = given === true ? await askForAccount(signal) : given;
  if (account === null) return null;
  if (given === true) assertKnownAccount(account, known);
  const holder = holders.find((each) => each.account === account);
  const loss = holder && (await describeLoss(config, target, holder, own));
  if (!loss) return account;
  process.stderr.write(`${escapeControls(loss)}\n`);
  const command = `publish --target ${shellQuote(target.name)} --rebuild ${shellQuote(account)}`;
  const isAgreed = yes === true || (await isConfirmed('Continue?', commandsFor(file)(command), signal));
  return isAgreed ? account : null;
}

/** What will go that this file lacks, with its counts; null where it has everything that the target has of the account. */
async function describeLoss(
  config: Config,
  target: TargetConfig,
  { account, warehouseId, instance }: AccountHolder,
  own: OwnAccounts,
): Promise<string | null> {
  const rows = await readTarget(target, () => countAccountRows(target, account, CONNECT_DEADLINE_MS));
  const isStored = own.stored.includes(account);
  const [videos, states] = [own.countRows(account, 'video'), own.countRows(account, 'video_version')];
  const isMore =
    rows === null ? instance !== createHolder(config).instance : rows.videos > videos || rows.states > states;
  const isEmpty = rows !== null && rows.videos + rows.states + rows.days === 0;
  if (isEmpty || (isStored && warehouseId === own.warehouseId && !isMore)) return null;
  const what =
    rows === null
      ? 'the rows'
      : `${countVideos(rows.videos, rows.states)} and ${pluralize(rows.days, 'day')} of storage`;
  const isFetchedLater = config.accounts.some(({ name }) => name === account);
  const verb = isStored
    ? `replaced by ${countVideos(videos, states)} of this warehouse`
    : isFetchedLater
      ? 'replaced once this worker has fetched the account'
      : 'deleted';
  return `  ${what} of account ${account} in target ${target.name} will be ${verb}`;
}

const countVideos = (videos: number, states: number) =>
  `${pluralize(videos, 'video')}, ${pluralize(states, 'former state')}`;

async function readTarget<Result>(target: TargetConfig, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const { message, hint } = await describeTargetError(error, target);
    throw new VodhouseError(`target ${target.name}: ${message}; nothing was rebuilt`, {
      hint: hint ?? undefined,
    });
  }
}

/** Where what only the target has stays. */
const SET_ASIDE = {
  postgres: {
    days: 'booked days are kept in vodhouse_lost_storage',
    states: 'states that only the target has are kept in vodhouse_lost_history',
  },
  lake: {
    days: 'the files with booked days are kept, set aside in the manifest of the account',
    states: 'files with states that only the lake has are kept, set aside in the manifest of the account',
  },
} as const satisfies Record<TargetConfig['kind'], unknown>;

/** One sentence about an account: who has it, and what a rebuild does. */
function createDescription(
  config: Config,
  { name, kind }: TargetConfig,
  holders: readonly AccountHolder[],
  { stored, warehouseId }: OwnAccounts,
) {
  const { instance } = createHolder(config);
  const isConfigured = (account: string) => config.accounts.some(({ name: each }) => each === account);
  return (account: string): string => {
    const holder = holders.find((each) => each.account === account);
    const place = `target ${name}, account ${account}`;
    if (!holder) return `${place}: nobody has loaded it; a rebuild is its first load`;
    const since = holder.since === null ? '' : ` since ${holder.since} UTC`;
    const loaded = holder.loadedAt === null ? 'never loaded' : `last loaded ${holder.loadedAt} UTC`;
    const lease = holder.isHeld ? `, and its lease lasts until ${holder.leaseUntil} UTC` : '';
    if (!stored.includes(account) && isConfigured(account))
      return `${place}: ${holder.worker} has it${since}, ${loaded}${lease}; this worker has not fetched it yet, so a rebuild only takes it, and its rows stay until the first load after a sync`;
    if (!stored.includes(account) && holder.warehouseId === warehouseId)
      return `${place}: this warehouse no longer has it (renamed or forgotten), ${loaded}; a rebuild deletes its rows there, ${SET_ASIDE[kind].days}`;
    if (holder.warehouseId !== warehouseId)
      return `${place}: belongs to another warehouse (${holder.warehouseId}), loaded by ${holder.worker}${since}, ${loaded}${lease}; a rebuild takes it away from there and replaces its rows with those of this warehouse; ${SET_ASIDE[kind].states}`;
    if (holder.instance !== instance)
      return `${place}: worker ${holder.worker} has it${since}, ${loaded}${lease}; a rebuild takes it from that worker and loads it completely`;
    return `${place}: this worker has it${since}, ${loaded}; a rebuild loads it completely, readers keep the old rows until its end`;
  };
}

async function askForAccount(signal: AbortSignal): Promise<string | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Account to rebuild (nothing: none): ', { signal });
    return answer.trim() || null;
  } finally {
    terminal.close();
  }
}
