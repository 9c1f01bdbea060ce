import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { assertSameZone } from '../../app/configured-warehouse.ts';
import { assertNotLost, makeOwnFolders } from '../../app/lost-file.ts';
import { loadTarget } from '../../app/load-targets.ts';
import { publishNoted } from '../../app/publish-loop.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import { systemClock } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import { escapeControls, pluralize } from '../../lib/format.ts';
import { openPublisher } from '../../publishing/publisher.ts';
import { formatSchema, openLoaders, openTarget, type TargetLoader } from '../../publishing/loader.ts';
import { findRefusal, formatLoaded, readIdentity } from '../../publishing/targets/ownership.ts';
import type { LoadRequest } from '../../publishing/targets/target.ts';
import { getWarehouseId, readBookedZone } from '../../warehouse/statements/warehouse-state.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/warehouse.ts';
import { createLoadLogger, type JsonOptions } from '../command-context.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT } from '../exit.ts';
import { TARGET_OPTIONS } from '../parse-args.ts';
import { assertKnown } from '../requirements.ts';
import { formatJson } from '../output/output.ts';
import {
  exitCodeForLoads,
  publicationLine,
  targetLoadsText,
  type TargetLoads,
} from '../output/publication-text.ts';
import { abortOnSignal } from '../signals.ts';
import { listAccounts, countTargetRows } from '../../warehouse/accounts.ts';

export interface PublishOptions extends JsonOptions {
  fileOnly?: true;
  target?: string;
  verify?: true;
  /** The account to load again completely. */
  rebuild?: string;
  /** The account to load although another warehouse owns it. */
  takeOver?: string;
  yes?: true;
  printSql?: true;
}

/** `vodhouse publish`: rebuilds the published file now, and loads the targets. Returns the exit code. */
export async function publish(options: PublishOptions): Promise<number> {
  const config = loadConfig(options.config);
  const loaders = options.fileOnly ? [] : selectLoaders(config, options);
  if (options.printSql) return printSql(loaders);
  const publisher = openPublisher(config, 'publish');
  if (!publisher) {
    throw new ConfigError('the config has no `publish`: there is no file to publish into', {
      hint: 'add the line `publish: {}` for published/vodhouse.bi.db next to the config, or name a file: `publish: { file: … }`',
    });
  }
  assertNotLost(config, commandsFor(options.config));
  makeOwnFolders(config);
  assertSameZone(config, readBookedZone(config.warehouse)); // throws where there is no warehouse
  const { signal } = abortOnSignal('stopping; the published file and the targets keep what they have');
  const warehouse = openWarehouse(config.warehouse, systemClock);
  try {
    const force = getForce(options, config, listAccounts(warehouse.db));
    const [first] = loaders; // with `force` there is one
    if (force && first && !(await confirmForce(force, first, warehouse, options, signal))) return EXIT.done;
    const context = { warehouse, clock: systemClock, logger: createLoadLogger(options, config.secrets) };
    const isWanted = !isAboutTargets(options) || publisher.dueAt(systemClock.now()) !== null;
    const publication = isWanted ? await publishNoted(publisher, context, signal) : null;
    if (publication && !options.json) process.stdout.write(`${publicationLine(publication)}\n`);
    const loads = await loadAll(loaders, context, { options, force }, signal);
    const none = { file: publisher.file, bytes: null, durationMs: null, rows: null };
    if (options.json) process.stdout.write(formatJson({ ...(publication ?? none), targets: loads }));
    return exitCodeForLoads(loads, !isAboutTargets(options));
  } finally {
    warehouse.close();
  }
}

/** Loads one target after the other, and prints the result of each when its load ends. */
async function loadAll(
  loaders: readonly TargetLoader[],
  context: Parameters<typeof loadTarget>[1],
  { options, force }: { options: PublishOptions; force: LoadRequest['force'] },
  signal: AbortSignal,
): Promise<TargetLoads[]> {
  const loads: TargetLoads[] = [];
  for (const loader of loaders) {
    const { name: target } = loader.target;
    if (process.stderr.isTTY) process.stderr.write(`loading target ${target} …\n`);
    const how = { isVerified: options.verify === true, force };
    const loaded = { target, accounts: await loadTarget(loader, context, signal, how) };
    loads.push(loaded);
    if (!options.json) process.stdout.write(targetLoadsText(loaded));
  }
  return loads;
}

/** Prints the SQL that makes the schemas. Throws ConfigError if all targets are lakes, which have none. */
async function printSql(loaders: readonly TargetLoader[]): Promise<number> {
  const texts = await Promise.all(loaders.map(({ target }) => formatSchema(target)));
  const sql = texts.filter((text) => text !== null);
  if (sql.length === 0) throw new ConfigError('--print-sql is for databases: no target needs a schema');
  process.stdout.write(sql.join('\n'));
  return EXIT.done;
}

/** Do the options concern the targets? Then the file is rebuilt only if it lacks something. */
const isAboutTargets = (options: PublishOptions): boolean =>
  TARGET_OPTIONS.some((name) => options[name] !== undefined);

/** The selected targets. Throws ConfigError for an unknown one, and if options need one and there is none. */
function selectLoaders(config: Config, options: PublishOptions): TargetLoader[] {
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

/** The load that `--rebuild` or `--take-over` forces, or null. Throws ConfigError for an unknown account. */
function getForce(
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
 * Prints to stderr who owns the account, and what will be replaced. Asks, unless `--yes` was given. Throws
 * ConfigError where stdin is no terminal, OwnedError where a rebuild is not enough, TargetError if the target
 * cannot be read.
 */
async function confirmForce(
  { account, kind }: NonNullable<LoadRequest['force']>,
  { target: config }: TargetLoader,
  warehouse: Pick<Warehouse, 'path' | 'db'>,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const target = await openTarget(config, '');
  const state = (await target.readAccounts()).get(account) ?? null;
  const identity = readIdentity({ path: warehouse.path, warehouseId: getWarehouseId(warehouse.db) });
  const refusal = findRefusal(account, state, identity, kind, config.command);
  if (refusal) throw refusal;
  const theirs = state ? await target.countVideos(account) : 0;
  const counts = countTargetRows(warehouse.db, { account, packageId: null });
  const ours = counts.find(({ table }) => table === 'video')?.rows ?? 0;
  const lines = [
    `target ${config.name}, account ${account}, ${formatLoaded(state)}:`,
    `  deleted: ${pluralize(theirs, 'video')}, and all else of the account`,
    `  loaded:  ${pluralize(ours, 'video')}, and all else of this warehouse`,
  ];
  process.stderr.write(`${lines.map(escapeControls).join('\n')}\n`);
  const command = `${config.command} --${kind} ${account}`;
  return isConfirmed('Continue?', { command, yes: options.yes }, signal);
}
