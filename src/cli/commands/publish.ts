import { existsSync } from 'node:fs';
import type { Config, TargetConfig } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { assertSameZone } from '../../app/file-use.ts';
import { assertNotLost } from '../../app/lost-file.ts';
import { loadTarget } from '../../app/load-targets.ts';
import { commandsFor } from '../../health/commands.ts';
import { systemClock } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import { formatLakePlace } from '../../lib/lake-place.ts';
import { openPublisher, type Publication, type Publisher } from '../../publishing/publisher.ts';
import type { TargetLoader } from '../../publishing/targets/loader.ts';
import { getPublishTime } from '../../sync/run-clock.ts';
import { readBookedZone } from '../../warehouse/statements/warehouse-state.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/warehouse.ts';
import { EXIT } from '../exit.ts';
import { createLoadLogger, isAboutTargets, selectLoaders, type PublishOptions } from '../load-request.ts';
import {
  exitCodeForLoads,
  targetLoadsDocument,
  targetLoadsText,
  type TargetLoads,
} from '../output/load-text.ts';
import { formatJson } from '../output/output.ts';
import { publicationDocument, publicationText } from '../output/publication-text.ts';
import { abortOnSignal } from '../signals.ts';

/** `vodhouse publish`: rebuilds the published file now, and loads the targets. Returns the exit code. */
export async function publish(options: PublishOptions): Promise<number> {
  const config = loadConfig(options.config);
  const loaders = selectLoaders(config, options);
  if (options.printSql) return printSql(config, loaders);
  const publisher = openPublisher(config, 'publish');
  if (!publisher) {
    throw new ConfigError('the config has no `publish`: there is no file to publish into', {
      hint: 'add the line `publish: {}` for published/vodhouse.bi.db next to the config, or name a file: `publish: { file: … }`',
    });
  }
  assertNotLost(config, commandsFor(options.config));
  assertSameZone(config, readBookedZone(config.warehouse));
  const isLoading = loaders.length > 0 && existsSync(config.warehouse);
  const warehouse = isLoading ? openWarehouse(config.warehouse, systemClock) : null;
  try {
    return await publishAndLoad(config, options, publisher, loaders, warehouse);
  } finally {
    warehouse?.close();
  }
}

/** Prints what makes the schemas; connects to nothing. Throws ConfigError where every target is a lake, which has none. */
async function printSql(config: Config, loaders: readonly TargetLoader[]): Promise<number> {
  const { formatTargetSql } = await import('../output/target-sql.ts');
  const texts = loaders.flatMap(({ target }) =>
    target.kind === 'postgres' ? formatTargetSql(config, target) : [],
  );
  if (texts.length === 0) throw refuseSql(loaders.map(({ target }) => target));
  process.stdout.write(texts.join('\n'));
  return EXIT.done;
}

function refuseSql(targets: readonly TargetConfig[]): ConfigError {
  const places = targets.flatMap((target) =>
    target.kind === 'lake' ? `${formatLakePlace(target.place)}/sql/` : [],
  );
  const names = targets.map(({ name }) => name).join(', ');
  return new ConfigError(`--print-sql is for databases, and ${names} is a lake: it needs no schema`, {
    hint: `the first load writes views for DuckDB and others into ${places.join(', ')}`,
  });
}

async function publishAndLoad(
  config: Config,
  options: PublishOptions,
  publisher: Publisher,
  loaders: readonly TargetLoader[],
  warehouse: Warehouse | null,
): Promise<number> {
  const { signal } = abortOnSignal('stopping; the published file and the targets keep what they have');
  const rebuild = warehouse ? await askForRebuild(config, options, loaders, warehouse, signal) : [];
  if (rebuild === null) {
    process.stderr.write('nothing was rebuilt\n');
    return EXIT.done;
  }
  const publication = await publishIfAsked(publisher, options, signal);
  if (publication && !options.json) process.stdout.write(publicationText(publication));
  const request = { options, loaders, rebuild };
  const loads = warehouse ? await loadAll(config, request, warehouse, signal) : [];
  if (options.json) {
    const file = publication
      ? publicationDocument(publication)
      : { file: publisher.file, bytes: null, duration_ms: null, rows: null, copy: null };
    process.stdout.write(formatJson({ ...file, targets: loads.map(targetLoadsDocument) }));
  }
  return exitCodeForLoads(loads, !isAboutTargets(options));
}

/** The accounts to rebuild; null if a person was asked, and typed none or did not confirm. Throws ConfigError for an unknown account. */
async function askForRebuild(
  config: Config,
  options: PublishOptions,
  [loader]: readonly TargetLoader[],
  warehouse: Warehouse,
  signal: AbortSignal,
): Promise<string[] | null> {
  const { rebuild } = options;
  if (rebuild === undefined || !loader) return [];
  const { assertCanAsk, chooseRebuild } = await import('../rebuild.ts');
  assertCanAsk(options, loader.target.name);
  const own = {
    ...{ stored: warehouse.listAccounts(), warehouseId: warehouse.getWarehouseId() },
    countRows: (account: string, table: string) =>
      warehouse.countTargetRows({ account, packageId: null }).find((each) => each.table === table)?.rows ?? 0,
  };
  const account = await chooseRebuild(config, loader.target, options, own, signal);
  return account === null ? null : [account];
}

/** Null if the command is about targets, and the file has everything. */
async function publishIfAsked(
  publisher: Publisher,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Publication | null> {
  const { now, pruneCopies } = getPublishTime(systemClock.now(), null); // no answer has confirmed the clock
  if (isAboutTargets(options) && publisher.dueAt(now) === null) return null;
  return publisher.publish(now, signal, { pruneCopies });
}

interface LoadRequest {
  options: PublishOptions;
  loaders: readonly TargetLoader[];
  rebuild: readonly string[];
}

/** Loads one target after the other, and prints each as it ends. */
async function loadAll(
  config: Config,
  { options, loaders, rebuild }: LoadRequest,
  warehouse: Warehouse,
  signal: AbortSignal,
): Promise<TargetLoads[]> {
  const context = { warehouse, clock: systemClock, logger: createLoadLogger(options, config.secrets) };
  const isVerified = options.verify === true;
  const verify = isVerified ? warehouse.listAccounts() : [];
  const loads: TargetLoads[] = [];
  for (const loader of loaders) {
    const { name: target } = loader.target;
    if (process.stderr.isTTY) process.stderr.write(`loading target ${target} …\n`);
    const results = await loadTarget(loader, context, { verify, rebuild }, signal);
    loads.push({ target, results, isVerified });
    if (!options.json) process.stdout.write(targetLoadsText({ target, results, isVerified }));
  }
  return loads;
}
