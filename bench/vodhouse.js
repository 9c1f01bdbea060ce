/**
 * vodhouse with the same work: one `sync` like that of the command. `node bench/vodhouse.js URL PACKAGES
 * FILE [PER_SECOND]`.
 */
import { openPipeline } from '../dist/app/pipeline.js';
import { systemClock } from '../dist/lib/clock.js';
import { createLogger } from '../dist/lib/logger.js';
import { silentProgress } from '../dist/sync/context.js';

const [url, packages, file, perSecond = null] = process.argv.slice(2);
const config = {
  file: 'bench',
  warehouse: file,
  timezone: 'UTC',
  worker: 'bench',
  accounts: [
    {
      name: 'bench',
      was: null,
      proxy: 'none',
      ca: null,
      videoList: { baseUrl: url, key: 'bench-key', pageSize: 1000 },
      storage: null,
      packages: Array.from({ length: Number(packages) }, (_, index) => ({ id: index + 1, name: null })),
      limits: {
        concurrency: 4,
        perSecond: perSecond && Number(perSecond),
        perMinute: null,
        perDay: null,
        maxWaitMs: 120_000,
        restrictedCodes: [],
        finalCodes: [],
      },
    },
  ],
  schedule: { full: '0 * * * *', quick: null, timezone: 'UTC' },
  walk: { removalBrake: 0.2, resumeWithinMs: 604_800_000, boundaryReads: 0.05 },
  publish: null,
  backup: null,
  retention: { requestsDays: 35, runsDays: 90 },
  server: null,
  notify: null,
  secrets: ['bench-key'],
};

const logger = createLogger({ level: 'warn', format: 'text', secrets: config.secrets });
const pipeline = openPipeline(config, {
  clock: systemClock,
  logger,
  progress: silentProgress,
  command: 'bench',
});
const cpu = process.cpuUsage();
const startedAt = performance.now();
const summary = await pipeline.run({ trigger: 'manual', signal: new AbortController().signal });
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
const rows = summary.walks.reduce((sum, walk) => sum + walk.inserted + walk.updated + walk.unchanged, 0);
await pipeline.close();
const { requests } = summary;
const rssMb = process.resourceUsage().maxRSS / 1024;
process.send({ ms, cpuMs: (user + system) / 1000, rows, requests, rssMb }, () => process.exit());
