/**
 * A worker with its server: `node bench/mirror-worker.js URL_BEFORE URL_AFTER PACKAGES FILE`. The second
 * list differs from the first in one of a hundred videos. It loads the first list, reports the address of
 * its server, and then syncs from both in turn, from a message `{ walks: true, perSecond, isLoading }` until
 * the next one.
 */
import { openPipeline } from '../dist/app/pipeline.js';
import { systemClock } from '../dist/lib/clock.js';
import { startWebProcess } from '../dist/web/process/supervisor.js';
import { silentProgress } from '../dist/sync/context.js';
import { listChildren, createConfig, logger } from './mirror-config.js';

const [before, after, packages, file] = process.argv.slice(2);
const lists = [after, before];
let stopping = new AbortController();
let round = 0;

/** One sync like that of the command; `isLoading` adds a new account. */
async function sync(url, { perSecond = null, isLoading = false } = {}) {
  const accounts = isLoading ? ['bench', `load-${round}`] : ['bench'];
  const config = createConfig({ url, file, packages: Number(packages), accounts, perSecond });
  const pipeline = openPipeline(config, {
    clock: systemClock,
    logger,
    environment: process.env,
    signal: new AbortController().signal,
    progress: silentProgress,
    command: 'bench',
  });
  try {
    const { status, walks } = await pipeline.run({
      trigger: 'manual',
      signal: stopping.signal,
      acceptRetirements: true, // the account of the last load
    });
    const sum = (...names) =>
      walks.reduce((total, walk) => total + names.reduce((some, name) => some + walk[name], 0), 0);
    if (status !== 'succeeded' && !stopping.signal.aborted) throw new Error(`a sync ended ${status}`);
    return {
      seen: sum('inserted', 'updated', 'unchanged'),
      written: sum('inserted', 'updated', 'restored'),
    };
  } finally {
    await pipeline.close();
  }
}

async function syncOnAndOn(order) {
  const startedAt = performance.now();
  const sums = { seen: 0, written: 0 };
  while (!stopping.signal.aborted) {
    const { seen, written } = await sync(lists[round++ % 2], order);
    sums.seen += seen;
    sums.written += written;
  }
  process.send({ ...sums, seconds: (performance.now() - startedAt) / 1000 });
}

process.on('message', (order) => {
  if (!order.walks) return stopping.abort();
  stopping = new AbortController();
  void syncOnAndOn(order);
});
process.on('disconnect', () => void server.close().finally(() => process.exit()));

await sync(before);
const server = await startWebProcess(createConfig({ url: before, file, packages: Number(packages) }), {
  clock: systemClock,
  logger,
  environment: process.env,
  signal: new AbortController().signal,
});
process.send({ url: server.url, serverPid: listChildren(process.pid)[0] });
