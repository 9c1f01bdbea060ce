import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { assertSameZone } from '../../app/file-use.ts';
import { assertNotLost } from '../../app/lost-file.ts';
import { loadTarget } from '../../app/load-targets.ts';
import { commandsFor } from '../../health/commands.ts';
import { systemClock } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import { openPublisher, type Publication, type Publisher } from '../../publishing/publisher.ts';
import { formatSchema } from '../../publishing/targets/open-target.ts';
import type { TargetLoader } from '../../publishing/targets/loader.ts';
import type { LoadRequest } from '../../publishing/targets/target-request.ts';
import { getPublishTime } from '../../sync/run-clock.ts';
import { readBookedZone } from '../../warehouse/statements/warehouse-state.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/warehouse.ts';
import { confirmLoad } from '../confirm-load.ts';
import { EXIT } from '../exit.ts';
import {
  createLoadLogger,
  getForce,
  isAboutTargets,
  selectLoaders,
  type PublishOptions,
} from '../load-request.ts';
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
  if (options.printSql) return printSql(loaders);
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
async function printSql(loaders: readonly TargetLoader[]): Promise<number> {
  const texts = await Promise.all(loaders.map(({ target }) => formatSchema(target)));
  if (texts.every((text) => text === null))
    throw new ConfigError(
      '--print-sql is for databases; a lake needs no schema: the first load makes its tables',
    );
  process.stdout.write(texts.filter((text) => text !== null).join('\n'));
  return EXIT.done;
}

async function publishAndLoad(
  config: Config,
  options: PublishOptions,
  publisher: Publisher,
  loaders: readonly TargetLoader[],
  warehouse: Warehouse | null,
): Promise<number> {
  const { signal } = abortOnSignal('stopping; the published file and the targets keep what they have');
  const force = warehouse && getForce(options, warehouse.listAccounts());
  if (warehouse && force && !(await isAllowed(force, options, loaders, warehouse, signal))) {
    process.stderr.write('nothing was changed\n');
    return EXIT.done;
  }
  const publication = await publishIfAsked(publisher, options, signal);
  if (publication && !options.json) process.stdout.write(publicationText(publication));
  const loads = warehouse ? await loadAll(config, { options, loaders, force }, warehouse, signal) : [];
  if (options.json) {
    const file = publication
      ? publicationDocument(publication)
      : { file: publisher.file, bytes: null, duration_ms: null, rows: null, copy: null };
    process.stdout.write(formatJson({ ...file, targets: loads.map(targetLoadsDocument) }));
  }
  return exitCodeForLoads(loads, !isAboutTargets(options));
}

function isAllowed(
  force: NonNullable<LoadRequest['force']>,
  options: PublishOptions,
  [loader]: readonly TargetLoader[],
  warehouse: Warehouse,
  signal: AbortSignal,
): Promise<boolean> {
  if (!loader) return Promise.resolve(true);
  const rows = warehouse.countTargetRows({ account: force.account, packageId: null });
  const count = (name: string) => rows.find(({ table }) => table === name)?.rows ?? 0;
  return confirmLoad(
    loader.target,
    force,
    options,
    { videos: count('video'), states: count('video_version') },
    signal,
  );
}

/** Null if the command is about targets, and the file has everything. */
async function publishIfAsked(
  publisher: Publisher,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Publication | null> {
  const now = getPublishTime(systemClock.now(), null); // no answer has confirmed the clock
  if (isAboutTargets(options) && publisher.dueAt(now) === null) return null;
  return publisher.publish(now, signal);
}

interface Loads {
  options: PublishOptions;
  loaders: readonly TargetLoader[];
  force: LoadRequest['force'];
}

/** Loads one target after the other, and prints each as it ends. */
async function loadAll(
  config: Config,
  { options, loaders, force }: Loads,
  warehouse: Warehouse,
  signal: AbortSignal,
): Promise<TargetLoads[]> {
  const context = { warehouse, clock: systemClock, logger: createLoadLogger(options, config.secrets) };
  const isVerified = options.verify === true;
  const loads: TargetLoads[] = [];
  for (const loader of loaders) {
    const { name: target } = loader.target;
    if (process.stderr.isTTY) process.stderr.write(`loading target ${target} …\n`);
    const results = await loadTarget(loader, context, { isVerified, force }, signal);
    loads.push({ target, results });
    if (!options.json) process.stdout.write(targetLoadsText({ target, results }));
  }
  return loads;
}
