/**
 * One history of a package, walked twice: as it is, and with every page parsed. Both files must be equal
 * afterwards.
 */
import { Database } from '../../../src/database/sqlite.ts';
import fc from 'fast-check';
import { startPackageService, type PackageService } from '../servers/test-service.ts';
import { openTestPipeline, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { videoRecord } from '../fixtures/service-responses.ts';

/** A record: its id, and how it differs from the base; null: it is missing. */
interface Entry {
  id: number;
  is: Record<string, unknown> | null;
}

export interface Walk {
  /** Which list the service has before the first request, and from the request `laterAt` on. */
  list: number;
  later: number;
  laterAt: number;
  /** The request at which the walk is interrupted, or receives a longer wait than it may take. */
  stopAt: number | null;
  parkAt: number | null;
  pageSize: number;
  accept: boolean;
  /** Minutes that pass afterwards. */
  minutes: number;
}

export interface TwinHistory {
  ids: readonly number[];
  /** How the lists differ from the first one, which has the base record of each id. */
  others: readonly (readonly Entry[])[];
  walks: readonly Walk[];
}

const HIGHEST_ID = 20;

/**
 * Few lists that differ in few records, so that each returns often: also invalid records and undocumented
 * fields.
 */
const entry: fc.Arbitrary<Entry> = fc.record({
  id: fc.integer({ min: 1, max: HIGHEST_ID }),
  is: fc.constantFrom(null, null, {}, { title: 'edited' }, { title: '' }, { duration: '' }, { later: 1 }),
});

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

const walk: fc.Arbitrary<Walk> = fc.record({
  list: fc.nat(2),
  later: fc.nat(2),
  laterAt: fc.integer({ min: 1, max: 12 }),
  stopAt: rarely(fc.integer({ min: 1, max: 7 })),
  parkAt: rarely(fc.integer({ min: 2, max: 7 })),
  pageSize: fc.oneof(
    { weight: 3, arbitrary: fc.constant(4) },
    { weight: 1, arbitrary: fc.constantFrom(3, 5) },
  ),
  accept: fc.boolean(),
  minutes: fc.constantFrom(1, 30, 90),
});

export const twinHistory: fc.Arbitrary<TwinHistory> = fc.record({
  ids: fc.uniqueArray(fc.integer({ min: 1, max: HIGHEST_ID }), { minLength: 6, maxLength: HIGHEST_ID }),
  others: fc.array(fc.array(entry, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 2 }),
  walks: fc.array(walk, { minLength: 4, maxLength: 12 }),
});

/** Runs a history; returns the complete content of the file after each walk. */
export async function runTwinWalks(
  { ids, others, walks }: TwinHistory,
  parsesAll: boolean,
): Promise<unknown[]> {
  const service = await startPackageService(ids);
  const pipeline = openTestPipeline({ url: service.url, removalBrake: 0.1, boundaryReads: 0.5 });
  const states: unknown[] = [];
  for (const each of walks) {
    if (parsesAll) forgetPages(pipeline.file);
    await playWalk(service, pipeline, each, (list) => setList(service, ids, others[list - 1] ?? []));
    states.push(readContent(pipeline));
    pipeline.clock.advance(each.minutes * 60_000);
  }
  await pipeline.close();
  await service.close();
  return states;
}

async function playWalk(
  service: PackageService,
  pipeline: TestPipeline,
  each: Walk,
  take: (list: number) => void,
): Promise<void> {
  let count = 0;
  service.pageSizeMax = each.pageSize;
  service.beforeAnswer = () => {
    pipeline.clock.advance(1000);
    count++;
    take(count < each.laterAt ? each.list : each.later);
    if (count === each.stopAt) pipeline.stop();
  };
  service.intercept = () =>
    count === each.parkAt ? { status: 429, headers: { 'retry-after': '600' }, body: '' } : undefined;
  await pipeline.run({ acceptRemovals: each.accept });
}

function setList(service: PackageService, ids: readonly number[], other: readonly Entry[]): void {
  service.records.clear();
  service.add(...ids);
  for (const { id, is } of other) {
    if (is) service.records.set(id, videoRecord(id, is));
    else service.remove(id);
  }
}

/** Deletes the page hashes, so that each page is parsed. */
function forgetPages(file: string): void {
  const db = new Database(file);
  db.exec('delete from page_hash');
  db.close();
}

const TABLES = ['video', 'video_version', 'removal_candidate', 'quarantine', 'drift', 'package', 'walk'];

function readContent(pipeline: TestPipeline): Record<string, unknown[]> {
  return Object.fromEntries(
    TABLES.map((table) => [table, pipeline.query<Row>(`select * from ${table}`).map(withoutRecognised)]),
  );
}

type Row = Record<string, unknown>;

/** A row without its number of unchanged pages: only that differs between the two walks. */
function withoutRecognised(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'recognised'));
}
