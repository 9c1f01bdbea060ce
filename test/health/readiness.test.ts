import { describe, expect, it, onTestFinished } from 'vitest';
import { createStaleCheck, listStreams, type Stream } from '../../src/health/streams.ts';
import { measureDiskSpace, type DiskSpace } from '../../src/database/files.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { getReadiness, type ReadinessFacts } from '../../src/health/readiness.ts';
import { insert, liveFileWith, packageRow } from '../support/fixtures/filled-live-file.ts';
import { configOver } from '../support/fixtures/open-metrics.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const isStale = createStaleCheck({ full: '0 * * * *' });
const readiness = (facts: ReadinessFacts) => getReadiness(facts, true);
const readinessInCounts = (facts: ReadinessFacts) => getReadiness(facts, false);
const ROOM: DiskSpace = { file: GIB, wal: 4 * MIB, free: 50 * GIB, disk: 100 * GIB };

const createStream = (packageId: number, stream: Partial<Stream> = {}): Stream => ({
  account: 'main',
  stream: 'videos',
  packageId,
  name: null,
  at: '2026-03-10 11:00:00',
  isStale: true,
  videos: 1,
  ...stream,
});

describe('a warehouse', () => {
  it('is ready where every package is fresh and the disk has space', () => {
    const facts = { streams: [createStream(101, { isStale: false })], space: ROOM };
    expect(readiness(facts)).toEqual({ ready: true, reasons: [] });
    expect(readinessInCounts(facts)).toEqual({ ready: true, reasons: [] });
  });

  it('is not ready where a package is stale, and names it with the time', () => {
    const streams = [createStream(101), createStream(102, { isStale: false })];
    expect(readiness({ streams, space: ROOM })).toEqual({
      ready: false,
      reasons: [
        {
          what: 'stale',
          says: '1 of 2 packages and storages stale: main/101 (read at 2026-03-10 11:00:00 UTC)',
        },
      ],
    });
  });

  it('names the longest unread first, and reports one that was never read as such', () => {
    const storage = { stream: 'storage', packageId: null, videos: null } as const;
    const streams = [
      createStream(101),
      createStream(0, { ...storage, at: '2026-03-09 01:00:00' }),
      createStream(7, { account: 'other', at: null }),
      createStream(0, { ...storage, account: 'third', at: null }),
    ];
    expect(readiness({ streams, space: ROOM }).reasons).toEqual([
      {
        what: 'stale',
        says:
          '4 of 4 packages and storages stale: other/7 (never read), storage of third (never read), ' +
          'storage of main (read at 2026-03-09 01:00:00 UTC), main/101 (read at 2026-03-10 11:00:00 UTC)',
      },
    ]);
  });

  it('names only the first few of a thousand', () => {
    const streams = Array.from({ length: 1000 }, (_, index) => createStream(index + 1));
    const [reason] = readiness({ streams, space: ROOM }).reasons;
    expect(reason?.says).toMatch(
      /^1,000 of 1,000 packages and storages stale: main\/1 \(.*main\/5 \(.*\) and 995 more$/,
    );
    expect(reason?.says.length).toBeLessThan(400);
  });

  it.each([
    ['2 % of a disk', 100 * GIB, 2 * GIB],
    ['256 MiB of a small one', 2 * GIB, 256 * MIB],
    ['4 GiB of a large one', 4000 * GIB, 4 * GIB],
  ])('is not ready with less free space than %s', (_what, disk, needed) => {
    const readyWith = (free: number) => readiness({ streams: [], space: { ...ROOM, disk, free } }).ready;
    expect([readyWith(needed), readyWith(needed - 1)]).toEqual([true, false]);
  });

  it('reports the free space of a disk that is nearly full', () => {
    const getReasons = (free: number) => readiness({ streams: [], space: { ...ROOM, free } }).reasons;
    expect(getReasons(120.9 * MIB)).toEqual([
      { what: 'disk', says: expect.stringContaining(': 121 MiB left (0.1 %)') as string },
    ]);
    expect(getReasons(1.5 * GIB)[0]?.says).toContain('1.5 GiB left (1.5 %)');
  });

  it('is not ready where the -wal file has grown beyond 256 MiB, and reports the usual cause', () => {
    const reasonsWith = (wal: number) => readiness({ streams: [], space: { ...ROOM, wal } }).reasons;
    expect(reasonsWith(256 * MIB)).toEqual([]);
    expect(reasonsWith(300 * MIB)).toEqual([
      { what: 'wal', says: expect.stringMatching(/ has grown: 300 MiB, usually a reader /) as string },
    ]);
  });

  it('reports to an unauthorized caller only how many and which kinds, without names or figures', () => {
    const streams = [createStream(101), createStream(102), createStream(103, { at: null })];
    const space = { ...ROOM, free: MIB, wal: GIB };
    expect(readinessInCounts({ streams, space })).toEqual({
      ready: false,
      reasons: [
        { what: 'stale', says: '3 of 3 packages and storages stale' },
        { what: 'disk', says: 'the disk of the warehouse is nearly full' },
        { what: 'wal', says: 'the -wal file of the warehouse has grown' },
      ],
    });
    const storage = createStream(0, { stream: 'storage', packageId: null, videos: null });
    expect(readinessInCounts({ streams: [createStream(101)], space: ROOM }).reasons).toEqual([
      { what: 'stale', says: '1 of 1 package or storage stale' },
    ]);
    expect(readinessInCounts({ streams: [storage], space: ROOM }).reasons).toEqual([
      { what: 'stale', says: '1 of 1 package or storage stale' },
    ]);
  });
});

/** The readiness inputs of a live file at noon, with the config of `configOver`. */
function readFacts(...statements: string[]) {
  const live = liveFileWith(...statements);
  const db = openReadOnly(live);
  onTestFinished(() => void db.$client.close());
  const config = configOver(live);
  const streams = listStreams({ config, db, isStale }, toMs('2026-03-10T12:00:00Z'));
  return { streams, space: measureDiskSpace(live) };
}

describe('the readiness inputs', () => {
  it('are every stream of the config, and the disk of the live file', () => {
    const facts = readFacts(
      packageRow(101, { walked_at: '2026-03-10 11:30:00', live_count: 3 }),
      packageRow(102, { walked_at: '2026-03-10 09:30:00' }),
      packageRow(999, { walked_at: '2026-03-10 09:30:00' }),
      insert('storage_reading', { account: 'main', observed_at: '2026-03-10 11:00:00', date: '2026-03-10' }),
    );
    expect(facts.streams).toEqual([
      createStream(101, { at: '2026-03-10 11:30:00', isStale: false, videos: 3 }),
      createStream(102, { name: 'Lectures', at: '2026-03-10 09:30:00', videos: 0 }),
      {
        account: 'main',
        stream: 'storage',
        packageId: null,
        name: null,
        at: '2026-03-10 11:00:00',
        isStale: false,
        videos: null,
      },
      { account: 'other', stream: 'videos', packageId: 7, name: null, at: null, isStale: true, videos: null },
    ]);
    expect(facts.space.file).toBeGreaterThan(50_000);
    expect(facts.space.disk).toBeGreaterThan(facts.space.free);
  });
});
