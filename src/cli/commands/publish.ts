import { existsSync } from 'node:fs';
import { loadConfig } from '../../config/load.ts';
import { assertSameZone } from '../../app/file-use.ts';
import { assertNotLost } from '../../app/lost-file.ts';
import { loadTarget } from '../../app/load-targets.ts';
import { commandsFor } from '../../health/commands.ts';
import { systemClock } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import { openPublisher, type Publisher } from '../../publishing/publisher.ts';
import type { Publication } from '../../publishing/publish-request.ts';
import { formatSchema, type TargetLoader } from '../../publishing/targets/loader.ts';
import type { LoadRequest } from '../../publishing/targets/target.ts';
import { readBookedZone } from '../../warehouse/statements/warehouse-state.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';
import { createLoadLogger } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import {
  confirmForce,
  getForce,
  isAboutTargets,
  selectLoaders,
  type PublishOptions,
} from '../publish-options.ts';
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
  const { signal } = abortOnSignal('stopping; the published file and the targets keep what they have');
  const isLoading = loaders.length > 0 && existsSync(config.warehouse);
  const warehouse = isLoading ? openWarehouse(config.warehouse, systemClock) : null;
  try {
    const force = warehouse && getForce(options, config, warehouse.listAccounts());
    const [first] = loaders; // a forced load has one target
    if (warehouse && force && first && !(await confirmForce(force, first, warehouse, options, signal))) {
      process.stderr.write('nothing was changed\n');
      return EXIT.done;
    }
    const publication = await publishIfAsked(publisher, options, signal);
    const logger = createLoadLogger(options, config.secrets);
    const context = warehouse && { warehouse, clock: systemClock, logger };
    const loads = context ? await loadAll(loaders, context, { options, force }, signal) : [];
    if (options.json) {
      const file = publication
        ? publicationDocument(publication)
        : { file: publisher.file, bytes: null, duration_ms: null, rows: null, copy: null };
      process.stdout.write(formatJson({ ...file, targets: loads.map(targetLoadsDocument) }));
    }
    return exitCodeForLoads(loads, !isAboutTargets(options));
  } finally {
    warehouse?.close();
  }
}

type Force = LoadRequest['force'];

/** Null if the command is about targets, and the file has everything. */
async function publishIfAsked(
  publisher: Publisher,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Publication | null> {
  const now = systemClock.now();
  if (isAboutTargets(options) && publisher.dueAt(now) === null) return null;
  const publication = await publisher.publish(now, signal);
  if (!options.json) process.stdout.write(publicationText(publication));
  return publication;
}

/** Loads one target after the other, and prints each as it ends. */
async function loadAll(
  loaders: readonly TargetLoader[],
  context: Parameters<typeof loadTarget>[1],
  { options, force }: { options: PublishOptions; force: Force },
  signal: AbortSignal,
): Promise<TargetLoads[]> {
  const loads: TargetLoads[] = [];
  for (const loader of loaders) {
    const { name: target } = loader.target;
    if (process.stderr.isTTY) process.stderr.write(`loading target ${target} …\n`);
    const results = await loadTarget(loader, context, signal, { isVerified: options.verify === true, force });
    loads.push({ target, results });
    if (!options.json) process.stdout.write(targetLoadsText({ target, results }));
  }
  return loads;
}

/** Prints what makes the schemas; connects to nothing. Throws ConfigError where every target is a lake, which has none. */
async function printSql(loaders: readonly TargetLoader[]): Promise<number> {
  const texts = await Promise.all(loaders.map(({ target }) => formatSchema(target)));
  const sql = texts.filter((text) => text !== null);
  if (sql.length === 0) throw new ConfigError('--print-sql is for databases: no target needs a schema');
  process.stdout.write(sql.join('\n'));
  return EXIT.done;
}
