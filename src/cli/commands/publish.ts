import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import { getPublishTime } from '../../sync/run-clock.ts';
import { assertSameZone } from '../../app/file-use.ts';
import { openPublisher } from '../../publishing/publisher.ts';
import { readBookedZone } from '../../warehouse/statements/warehouse-state.ts';
import { EXIT } from '../exit.ts';
import type { JsonOptions } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { formatJson } from '../output/output.ts';
import { publicationDocument, publicationText } from '../output/publication-text.ts';

/** `vodhouse publish`: rebuilds the published file now. Returns the exit code. */
export async function publish(options: JsonOptions): Promise<number> {
  const config = loadConfig(options.config);
  const publisher = openPublisher(config, 'publish');
  if (!publisher) {
    throw new ConfigError('the config has no `publish`: there is no file to publish into', {
      hint: 'add the line `publish: {}` for data/vodhouse.bi.db next to the config, or name a file: `publish: { file: … }`',
    });
  }
  assertSameZone(config, readBookedZone(config.warehouse));
  const { signal } = abortOnSignal('stopping; the published file stays as it was');
  const { now, pruneCopies } = getPublishTime(systemClock.now(), null); // no answer has confirmed the clock
  const publication = await publisher.publish(now, signal, { pruneCopies });
  process.stdout.write(
    options.json ? formatJson(publicationDocument(publication)) : publicationText(publication),
  );
  return EXIT.done;
}
