/**
 * The table of cases of the bench. `open` prepares a site once, or returns why the case is left out; `steps` are done in
 * order in each round, each by all contenders after each other. The first contender is the floor.
 */
import { mkdirSync } from 'node:fs';
import { findPostgres, startPostgres } from '../test/support/servers/postgres.ts';
import {
  createVodhouse,
  findPort,
  forkScript,
  nextMessage,
  run,
  runScript,
  samplePeaks,
} from './processes.js';
import { requestSteadily } from './steady-load.js';

const PUBLISH = { file: 'data/published.db' };
const WALKS = ['first load', 'unchanged', '1 % changed'];
let changes = 0;

/** The state of the list before a step of a walk: 1 % of it changes where the step says so. */
export async function prepareWalk(list, step, packages, videos) {
  if (step === '1 % changed') changes++;
  await list.offer({ packages, videos: videos / packages, changes });
}

/** A first load, the same list again, and 1 % changed: the floor, a sync, and a sync that publishes. */
function walks(name, packages) {
  return {
    name,
    about: `${packages === 1 ? 'one package' : `${packages} packages`}; inProcess: without the start of the process`,
    steps: WALKS,
    open: ({ list, videos }) => {
      let sites = {};
      const sync = (site) => () => sites[site].sync();
      return {
        begin: (folder) => {
          const create = (site, more) => createVodhouse(`${folder}/${site}`, list.url, packages, more);
          sites = { plain: create('plain'), publishing: create('publishing', { publish: PUBLISH }) };
        },
        before: (step) => prepareWalk(list, step, packages, videos),
        contenders: {
          floor: (_, folder) => runScript('bench/floor.js', list.url, packages, `${folder}/floor.db`),
          vodhouse: sync('plain'),
          'vodhouse, publishing': sync('publishing'),
        },
      };
    },
  };
}

/** A site with all videos loaded and published, in the folder of a case. Returns it with the figures of its sync. */
async function createLoaded({ root, list, videos }, packages, more = {}) {
  await list.offer({ packages, videos: videos / packages, changes });
  const site = createVodhouse(`${root}/site`, list.url, packages, { publish: PUBLISH, ...more });
  const loaded = await site.sync();
  return { ...site, folder: `${root}/site`, loaded };
}

const start = {
  name: 'start',
  about: '`vodhouse sync` over an empty package, against Node alone',
  steps: ['start'],
  open: async ({ list, root }) => {
    await list.offer({ packages: 1, videos: 0 });
    const site = createVodhouse(`${root}/site`, list.url, 1);
    return {
      contenders: {
        node: () => run(process.execPath, ['-e', '0']).then(pickFigures),
        vodhouse: () => site.sync(),
      },
    };
  },
};

const pickFigures = ({ seconds, rssMb }) => ({ seconds, rssMb });

/** Also what sizing needs: requests, bytes and memory. */
const publishing = {
  name: 'publishing',
  about: 'the published file of 10 packages, against VACUUM INTO of the live file',
  steps: ['publish'],
  open: async (options) => {
    const site = await createLoaded(options, 10);
    const { folder, loaded, call, sizeMb, sync } = site;
    const measureSizes = () => ({ liveMb: sizeMb('live.db'), publishedMb: sizeMb('published.db') });
    const live = `${folder}/data/live.db`;
    return {
      contenders: {
        'vacuum into': () => runScript('bench/sql-work.js', 'vacuum', live, `${options.root}/vacuum.db`),
        publish: () => call('publish'),
        'first sync before': () => ({ ...loaded, ...measureSizes() }),
        'quick sync': () => sync('--quick'),
      },
    };
  },
};

/** A target: its loads, beside the same rows copied by hand after the first one. */
const createTarget = (name, about, openTarget) => ({
  name,
  about,
  steps: WALKS,
  floor: 'by hand',
  open: async ({ list, videos }) => {
    const target = await openTarget();
    if (typeof target === 'string') return target;
    let site = null;
    return {
      begin: target.reset,
      // publishes without the target, so that its load is measured alone
      before: async (step, folder) => {
        await prepareWalk(list, step, 4, videos);
        const create = (targets) =>
          createVodhouse(`${folder}/site`, list.url, 4, { publish: { ...PUBLISH, targets } });
        await create([]).sync();
        site = create([{ name: 'target', every: 0, ...target.config(folder) }]);
      },
      contenders: {
        load: () => site.call('publish', '--target', 'target'),
        'by hand': (step, folder) => (step === 'first load' ? target.byHand(folder) : null),
      },
      close: target.close,
    };
  },
});

const TABLES = ['all_videos', 'video_history', 'video_tags'];

async function openPostgres() {
  if (findPostgres() === null) return 'apt-get install postgresql';
  const server = await startPostgres({
    settings: ["fsync = 'on'", "shared_buffers = '256MB'", "max_wal_size = '4GB'"],
  });
  const psql = (sql) => run('psql', [server.url, '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', sql]);
  return {
    config: () => ({ postgres: server.url }),
    reset: () => psql('drop schema if exists vodhouse cascade; drop schema if exists floor cascade'),
    byHand: async (folder) => {
      await psql('create schema floor');
      let seconds = 0;
      for (const table of TABLES) {
        const file = `${folder}/${table}.csv`;
        await psql(`\\copy vodhouse.${table} to '${file}' csv`);
        await psql(`create table floor.${table} (like vodhouse.${table} including indexes)`);
        seconds += (await psql(`\\copy floor.${table} from '${file}' csv`)).seconds;
      }
      return { seconds };
    },
    close: server.remove,
  };
}

const openLake = () => ({
  config: (folder) => ({ folder: `${folder}/lake` }),
  reset: (folder) => mkdirSync(`${folder}/lake`),
  byHand: (folder) => runScript('bench/sql-work.js', 'values', `${folder}/site/data/published.db`),
});

/** Random pages; the same ones in each measurement. */
function createPaths(packages, videos) {
  let seed = 1;
  const below = (limit) => (seed = (seed * 48_271) % 2_147_483_647) % limit;
  const pages = Math.ceil(videos / packages / 100);
  const sort = 'sort_item=id&sort_direction=asc&pagesize=100';
  return () => `/info/v1/videos.json?pkg=${1 + below(packages)}&page=${1 + below(pages)}&${sort}`;
}

const RATE = { perSecond: 200, seconds: 20 };

const mirror = {
  name: 'mirror',
  about: `${RATE.perSecond} pages of 100 a second for ${RATE.seconds} s, against one fixed answer of the same framework`,
  steps: ['no sync', 'beside a sync'],
  open: async (options) => {
    const { list, videos } = options;
    const site = await createLoaded(options, 4, { server: { port: await findPort() } });
    const worker = await site.start();
    const plain = await forkScript('bench/plain-answer.js');
    plain.child.send({ text: await (await fetch(worker.url + createPaths(4, videos)())).text() });
    const { url } = await nextMessage(plain.child);
    const load = (from) => () => requestSteadily(from, createPaths(4, videos), RATE);
    let syncing = null;
    return {
      before: (step) => void (syncing = step === 'beside a sync' ? syncRepeatedly(site, list) : null),
      contenders: { floor: load(url), vodhouse: load(worker.url) },
      after: () => syncing?.stop(),
      close: async () => {
        plain.child.disconnect();
        await worker.stop();
      },
    };
  },
};

/** Syncs a list of which 1 % has changed each time, until it is stopped: two states in turn, rendered before. */
function syncRepeatedly(site, list) {
  let isStopped = false;
  const loop = async () => {
    for (let count = 1; !isStopped; count++) {
      await list.offer({ changes: changes + (count % 2) });
      await site.sync();
    }
  };
  const ended = loop();
  return {
    stop: () => {
      isStopped = true;
      return ended;
    },
  };
}

const PAGES = {
  'front page': '/',
  packages: '/packages?sort=size',
  changes: '/changes',
  storage: '/storage',
};
const REPEATS = 20;

const pages = {
  name: 'pages',
  about: `pages over 1,000 packages, ${REPEATS} times each, and the memory of the worker`,
  steps: Object.keys(PAGES),
  open: async (options) => {
    const packages = Math.min(1000, options.videos / 100);
    const site = await createLoaded(options, packages, { server: { port: await findPort() } });
    const worker = await site.start();
    const fetchPage = async (path) => {
      const startedAt = performance.now();
      const text = await (await fetch(worker.url + path)).text();
      return { ms: performance.now() - startedAt, kb: text.length / 1000 };
    };
    const measure = async (step) => {
      const answers = [];
      for (let count = 0; count < REPEATS; count++) answers.push(await fetchPage(PAGES[step]));
      const times = answers.map(({ ms }) => ms).sort((one, other) => one - other);
      const memory = { rssMb: 0, childMb: 0 };
      samplePeaks(worker.pid, memory);
      const [first] = answers;
      return {
        firstMs: first.ms,
        medianMs: times[REPEATS >> 1],
        maxMs: times.at(-1),
        kb: first.kb,
        ...memory,
      };
    };
    return { contenders: { vodhouse: measure }, close: worker.stop };
  },
};

/** How the cost of a sync grows: with records, packages, versions of each video, and readers of the published file. */
const GROWTH = {
  'a tenth of the records': { share: 0.1 },
  'all records': {},
  '100 packages': { packages: 100 },
  '4 versions of each video': { versions: 4 },
  'a reader': { readers: 1 },
};

const growth = {
  name: 'growth',
  about: 'a sync of 1 % changes, with publication, over a warehouse of that kind',
  steps: Object.keys(GROWTH),
  open: ({ list, videos }) => ({
    contenders: {
      vodhouse: async (step, folder) => {
        const { share = 1, packages = 4, versions = 1, readers = 0 } = GROWTH[step];
        const site = createVodhouse(`${folder}/${step}`, list.url, packages, { publish: PUBLISH });
        for (let edition = 0; edition < versions; edition++) {
          await list.offer({ packages, videos: (videos * share) / packages, changes, editions: edition });
          await site.sync();
        }
        await list.offer({ changes: ++changes });
        const file = `${folder}/${step}/data/published.db`;
        const reader = readers > 0 ? await forkScript('bench/sql-work.js', 'scan', file) : null;
        const figures = await site.sync();
        reader?.child.kill();
        return { records: videos * share, ...figures };
      },
    },
  }),
};

export const CASES = [
  walks('walks', 4),
  walks('one-package', 1),
  start,
  publishing,
  createTarget('postgres', 'loads of a PostgreSQL; by hand: psql \\copy of the same rows', openPostgres),
  createTarget('lake', 'loads of a lake on a folder; by hand: reading the same values', openLake),
  mirror,
  pages,
  growth,
];
