import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLake, tidy } from '../../src/publishing/targets/delta/lake.ts';
import { findDeltaDifferences } from '../support/fixtures/delta-reader.ts';
import { openS3LakeSite, withFolder } from '../support/fixtures/s3-lake-site.ts';
import { readLog } from '../support/fixtures/lake-site.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { rounds } from '../support/rounds.ts';
import { startS3Server, type S3Server } from '../support/servers/s3-server.ts';

const RUNS = Number(process.env['RUNS'] ?? rounds(12));
const SEED = Number(process.env['SEED'] ?? 20_260_301);
const ACCOUNTS = ['one', 'two', 'three'];
const TABLES = [
  ...createMarts({ durationUnit: 'ms', exclude: [] }).all.flatMap(({ kind, name }) =>
    kind === 'table' && name !== 'internals' ? name : [],
  ),
  'loads',
];

/** Some writers load at the same time, each after a change or without one. One is stopped: by its nth request, carried out or not. */
const rush = fc.record({
  writers: fc.uniqueArray(fc.nat(ACCOUNTS.length - 1), { minLength: 1, maxLength: 3 }),
  isChanged: fc.boolean(),
  stop: fc.option(fc.record({ after: fc.nat(90), isApplied: fc.boolean() }), { nil: null }),
});

function openWriters(server: S3Server) {
  return ACCOUNTS.map((account, index) => {
    const site = openS3LakeSite(server, { worker: account });
    site.register([101], [account]);
    let count = index;
    return {
      site,
      change: async () => {
        count++;
        await site.walk([1, 2, count + 10], { title: `title ${count}` }, account);
        await site.publish();
      },
      load: () => site.load({ accounts: [account] }),
    };
  });
}

/** Refuses what comes after so many requests: as if the process had been killed there. */
function stopAfter(server: S3Server, { after, isApplied }: { after: number; isApplied: boolean }): void {
  server.restart();
  server.order(({ number }) => {
    if (number <= after) return null;
    const refusal = { status: 403, code: 'AccessDenied' };
    return isApplied && number === after + 1
      ? { kind: 'applied', ...refusal }
      : { kind: 'answer', ...refusal };
  });
}

/** What is wrong with the logs: a hole, a file that is added twice, or one that is not there. */
function findFlaws(server: S3Server): string[] {
  return withFolder(server, (root) =>
    TABLES.flatMap((table) => {
      const commits = readLog(root, table);
      const holes = commits
        .filter(({ version }, index) => version !== index)
        .map(({ version }) => `${table}: hole before ${version}`);
      const live = new Set<string>();
      const twice: string[] = [];
      for (const { add, remove } of commits.flatMap(({ actions }) => actions)) {
        if (add && live.has(add.path)) twice.push(`${table}: ${add.path} is added twice`);
        if (add) live.add(add.path);
        if (remove && !live.delete(remove.path))
          twice.push(`${table}: ${remove.path} is removed, and was not there`);
      }
      const present = [...server.objects.keys()].filter((key) => key.startsWith(`some/lake/${table}/part-`));
      const missing = [...live].filter((path) => !present.includes(`some/lake/${table}/${path}`));
      return [...holes, ...twice, ...missing.map((path) => `${table}: ${path} is missing`)];
    }),
  );
}

describe('writers of one lake', () => {
  it('that load at the same time, and are stopped anywhere, leave logs without a hole, and each account as it was published last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rush, { minLength: 2, maxLength: 6 }), async (rushes) => {
        const server = await startS3Server();
        const writers = openWriters(server);
        for (const writer of writers) await writer.change();
        for (const { writers: chosen, isChanged, stop } of rushes) {
          const busy = chosen.flatMap((index) => writers[index] ?? []);
          if (isChanged) for (const writer of busy) await writer.change();
          if (stop) stopAfter(server, stop);
          await Promise.all(busy.map((writer) => writer.load()));
          server.order(() => null);
        }
        const last = await Promise.all(writers.map((writer) => writer.load()));
        for (const results of last)
          for (const result of Object.values(results)) expect(result).toMatchObject({ error: null });
        expect(findFlaws(server)).toEqual([]);
        withFolder(server, (root) => {
          for (const { site } of writers) expect(findDeltaDifferences(site.file, root)).toEqual([]);
        });
        expect(await countOrphans(server, writers[0]?.site.config)).toBe(0);
        await server.close();
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 480_000, seed: SEED, endOnFailure: true },
    );
  });
});

/** Data files in no live version, once everything that may be deleted is. */
async function countOrphans(
  server: S3Server,
  config: Parameters<typeof openLake>[0] | undefined,
): Promise<number> {
  if (!config) return -1;
  const lake = openLake(config);
  const live = new Set<string>();
  for (const table of TABLES) {
    const { snapshot } = await lake.getLog(table);
    for (const path of snapshot.files.keys()) live.add(`some/lake/${table}/${path}`);
  }
  for (const table of TABLES) await tidy(lake, table, -60_000);
  return [...server.objects.keys()].filter((key) => /\/part-/.test(key) && !live.has(key)).length;
}
