/** What the options of `publish` ask of the targets of a config. */
import type { Config } from '../config/config.ts';
import { commandsFor, shellQuote } from '../health/commands.ts';
import { ConfigError } from '../lib/errors.ts';
import { escapeControls, pluralize } from '../lib/format.ts';
import { openLoaders, openTarget, type TargetLoader } from '../publishing/targets/loader.ts';
import { findRefusal, readIdentity } from '../publishing/targets/ownership.ts';
import type { LoadRequest } from '../publishing/targets/target.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { JsonOptions } from './command-context.ts';
import { isConfirmed } from './confirm.ts';
import { assertKnown } from './known-name.ts';

export interface PublishOptions extends JsonOptions {
  target?: string;
  verify?: true;
  /** An account. */
  rebuild?: string;
  takeOver?: string;
  yes?: true;
  printSql?: true;
}

/** Does the command ask for targets, and not for the file? */
export const isAboutTargets = ({ target, verify, rebuild, takeOver, printSql }: PublishOptions): boolean =>
  [target, verify, rebuild, takeOver, printSql].some((option) => option !== undefined);

/** The targets that are asked for. Throws ConfigError for a name or a combination that cannot be. */
export function selectLoaders(config: Config, options: PublishOptions): TargetLoader[] {
  const loaders = openLoaders(config);
  const names = loaders.map(({ target }) => target.name);
  if (isAboutTargets(options) && names.length === 0)
    throw new ConfigError('the config has no publish.targets: there is nothing to load', {
      hint: 'a target is a name and a place: `publish: { targets: [{ name: lake, folder: /srv/lake }] }`',
    });
  if (options.target !== undefined) assertKnown('the config has no target', options.target, names);
  const selected = loaders.filter(({ target }) => target.name === (options.target ?? target.name));
  const isForced = options.rebuild !== undefined || options.takeOver !== undefined;
  if (isForced && selected.length > 1)
    throw new ConfigError(`an account is loaded by force into one target: --target ${names.join(' or ')}`);
  return selected;
}

/** The account to load by force; null: none. Throws ConfigError for one that is neither in the config nor in the warehouse. */
export function getForce(
  { rebuild, takeOver }: PublishOptions,
  { accounts }: Config,
  inWarehouse: readonly string[],
): LoadRequest['force'] {
  const account = rebuild ?? takeOver;
  if (account === undefined) return null;
  const known = [...new Set([...accounts.map(({ name }) => name), ...inWarehouse])];
  assertKnown('the config has no account', account, known);
  return { account, kind: rebuild === undefined ? 'take-over' : 'rebuild' };
}

/**
 * Prints to stderr who owns the account, and what will be replaced. Asks, unless `--yes` was given. Throws ConfigError where
 * stdin is no terminal, OwnedError where a rebuild is not enough, TargetError if the target cannot be read.
 */
export async function confirmForce(
  { account, kind }: NonNullable<LoadRequest['force']>,
  { target: config }: TargetLoader,
  warehouse: Pick<Warehouse, 'getWarehouseId' | 'listPublications' | 'countTargetRows'>,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const target = await openTarget(config, '');
  const state = (await target.readAccounts()).get(account) ?? null;
  const refusal = findRefusal(account, state, readIdentity(warehouse), kind, config.name);
  if (refusal) throw refusal;
  const theirs = state ? await target.countVideos(account) : 0;
  const counts = warehouse.countTargetRows({ account, packageId: null });
  const ours = counts.find(({ table }) => table === 'video')?.rows ?? 0;
  const loaded = state
    ? `loaded by ${state.worker}, ${state.loadedAt ?? 'not completely'} UTC`
    : 'not loaded yet';
  const lines = [
    `target ${config.name}, account ${account}, ${loaded}:`,
    `  deleted: ${pluralize(theirs, 'video')}, and all else of the account`,
    `  loaded:  ${pluralize(ours, 'video')}, and all else of this warehouse`,
  ];
  process.stderr.write(`${lines.map(escapeControls).join('\n')}\n`);
  const words = `publish --target ${shellQuote(config.name)} --${kind} ${shellQuote(account)}`;
  return options.yes ?? isConfirmed('Continue?', commandsFor(options.config)(words), signal);
}
