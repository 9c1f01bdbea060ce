import { describe, expect, it, onTestFinished } from 'vitest';
import type { HealthParts } from '../../src/health/facts.ts';
import { commandsFor } from '../../src/lib/shell-command.ts';
import { getOverallStatus } from '../../src/health/overall-status.ts';
import { createHealthReport } from '../../src/health/report.ts';
import { createStaleCheck } from '../../src/health/streams.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { readingAt, runEnded, walkedAt, walkEnded } from '../support/fixtures/open-notifier.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const PACKAGES = Array.from({ length: 50 }, (_, index) => 101 + index);
const NOON = '2026-03-10 12:00:00';
/** Two ticks and more before noon, and after the last tick but one. */
const LONG_AGO = '2026-03-10 07:00:00';
const JUST_NOW = '2026-03-10 11:30:00';

const walked = (at: string) => PACKAGES.map((id) => walkedAt(id, at));
const failure = (packageId: number | null, kind: string, message = `account main: ${kind}`) =>
  insert('run_failure', {
    run_id: 1,
    account: 'main',
    kind,
    message,
    ...(packageId === null ? { stream: 'storage' } : { package_id: packageId, stream: 'videos' }),
  });
const skipped = insert('run_failure', {
  run_id: 1,
  account: 'main',
  stream: 'videos',
  kind: 'skipped',
  message: 'not requested',
});
const failedWalks = (count: number, error: string) =>
  PACKAGES.slice(0, count).flatMap((id) => [walkEnded(1, id, 'failed', JUST_NOW, error)]);
const parked = (error: string) => [
  runEnded(1, 'parked', JUST_NOW, error),
  "update run set resume_at = '2026-03-10 18:00:00';",
];
const ALL_STALE = [...walked(LONG_AGO), readingAt(LONG_AGO)];
const ALL_FRESH = [...walked(JUST_NOW), readingAt(JUST_NOW)];

interface Cause {
  rows: string[];
  parts?: Partial<HealthParts>;
  kind: string;
  affects: string | null;
  severity?: string;
  command: string | null;
}

const target = { name: 'warehouse', kind: 'postgres', everyMs: 0 };

const CAUSES: Record<string, Cause> = {
  'the service is down': {
    rows: [
      ...ALL_STALE,
      runEnded(1, 'failed', JUST_NOW, 'no connection'),
      ...failedWalks(10, 'no connection'),
      ...[null, ...PACKAGES.slice(0, 10)].map((id) => failure(id, 'connection')),
      skipped,
    ],
    kind: 'failed',
    affects: '50 packages, storage',
    command: 'check',
  },
  'the key is wrong': {
    rows: [
      ...ALL_FRESH,
      runEnded(1, 'failed', NOON, 'refused'),
      ...failedWalks(3, 'refused'),
      ...[null, ...PACKAGES.slice(0, 3)].map((id) => failure(id, 'refused')),
      skipped,
    ],
    kind: 'failed',
    affects: '50 packages, storage',
    command: 'check',
  },
  'the disk is full': {
    rows: [...ALL_STALE, runEnded(1, 'failed', JUST_NOW, 'database or disk is full')],
    kind: 'failed',
    affects: '50 packages, storage',
    command: 'runs 1',
  },
  'the service asks to wait': {
    rows: [
      ...ALL_STALE,
      ...parked('account main is paused'),
      insert('pause', {
        account: 'main',
        until: '2026-03-10 18:00:00',
        reason: 'status 429',
        since: JUST_NOW,
        full_rate_at: '2026-03-10 18:10:00',
        consecutive_restrictions: 1,
      }),
    ],
    kind: 'restricted',
    affects: '50 packages, storage',
    command: 'resume main',
  },
  'the requests of the day are spent': {
    rows: [...ALL_STALE, ...parked('20000 requests in a day are spent')],
    kind: 'parked',
    affects: '50 packages, storage',
    command: 'sync',
  },
  'no worker runs': {
    rows: [...ALL_STALE, runEnded(1, 'succeeded', LONG_AGO)],
    kind: 'stale',
    affects: '50 packages, storage',
    command: 'start',
  },
  'the statistics are down': {
    rows: [
      ...walked(JUST_NOW),
      readingAt(LONG_AGO),
      runEnded(1, 'partial', JUST_NOW),
      failure(null, 'status'),
    ],
    kind: 'failed',
    affects: null,
    command: 'sync --storage',
  },
  'a package is gone': {
    rows: [
      ...ALL_FRESH,
      `update package set walked_at = '${LONG_AGO}' where package_id = 101;`,
      runEnded(1, 'partial', JUST_NOW),
      ...failedWalks(1, 'no such package'),
      failure(101, 'refused'),
    ],
    kind: 'failed',
    affects: null,
    command: 'sync --package 101',
  },
  'every package is out of order': {
    rows: [
      ...ALL_FRESH,
      `update package set "order" = 'untrusted', totalcount = 30, page_size = 10;`,
      runEnded(1, 'succeeded', JUST_NOW),
    ],
    kind: 'unordered',
    affects: null,
    severity: 'ticket',
    command: 'status --json',
  },
  'the database of a target is down': {
    rows: [
      ...ALL_FRESH,
      runEnded(1, 'succeeded', JUST_NOW),
      ...['main', '(runs)'].map((account) =>
        insert('target_load', {
          target: 'warehouse',
          account,
          outcome: 'failed',
          attempted_at: JUST_NOW,
          failing_since: LONG_AGO,
          error: 'connection refused',
          code: 'ECONNREFUSED',
          loads: 1,
          failures: 5,
          rows: 0,
          duration_ms: 1,
        }),
      ),
    ],
    kind: 'target',
    affects: null,
    severity: 'ticket',
    command: 'publish --target warehouse',
  },
  'a file of packages cannot be read': {
    rows: [...ALL_FRESH, runEnded(1, 'succeeded', JUST_NOW)],
    parts: { unusableFiles: [{ account: 'main', problem: 'packages.csv: no such file' }] },
    kind: 'config',
    affects: null,
    severity: 'ticket',
    command: 'check',
  },
};

/** The health at noon of a file with these rows, and these packages in the config. */
function readReport({ rows, parts = {} }: Pick<Cause, 'rows' | 'parts'>, packages = PACKAGES) {
  const path = liveFileWith(...rows);
  const base = createTestConfig({ url: 'http://127.0.0.1:1', packages, storage: {} }, path);
  const publish = { file: 'bi.db', exclude: [], everyMs: 0, targets: [target] };
  const config = { ...base, publish } as unknown as typeof base;
  const db = openReadOnly(path);
  onTestFinished(() => void db.$client.close());
  const isStale = createStaleCheck(config.schedule);
  const formatCommand = commandsFor('vodhouse.yaml');
  const given = { config, db, isStale, publisher: null, formatCommand, ...parts };
  return createHealthReport(given, toMs(NOON), 5);
}

describe('one cause is one item, with 50 packages', () => {
  it.each(Object.entries(CAUSES))('%s', (_, cause) => {
    const report = readReport(cause);
    const [item, ...others] = report.items;
    expect(others.map(({ message }) => message)).toEqual([]);
    expect({
      kind: item?.kind,
      affects: item?.affects,
      severity: item?.severity,
      command: item?.advice?.command ?? null,
      hasBegin: item?.since !== null,
    }).toEqual({
      kind: cause.kind,
      affects: cause.affects,
      severity: cause.severity ?? 'page',
      command: cause.command && `vodhouse ${cause.command}`,
      hasBegin: cause.kind !== 'config',
    });
    const { level, text } = getOverallStatus(report);
    expect([level, text]).toEqual([
      cause.severity ? 'attention' : 'failing',
      expect.stringContaining(item?.message ?? '?') as string,
    ]);
  });

  it('also where the account has one package and storage', () => {
    const rows = [
      walkedAt(101, LONG_AGO),
      readingAt(LONG_AGO),
      runEnded(1, 'failed', JUST_NOW, 'no connection'),
      walkEnded(1, 101, 'failed', JUST_NOW, 'no connection'),
      failure(101, 'connection'),
      failure(null, 'connection'),
    ];
    const { items } = readReport({ rows }, [101]);
    expect(items.map(({ message, affects }) => [message, affects])).toEqual([
      ['The service of main does not answer', '1 package, storage'],
    ]);
  });

  it('also after a quick run, which leaves out packages that were never read', () => {
    const rows = [
      runEnded(1, 'partial', JUST_NOW),
      walkedAt(101, null),
      walkedAt(102, null),
      readingAt(JUST_NOW),
      ...failedWalks(2, 'refused'),
      failure(101, 'refused'),
      failure(102, 'refused'),
      runEnded(2, 'succeeded', NOON),
      "update run set mode = 'quick' where run_id = 2;",
    ];
    const { items } = readReport({ rows }, [101, 102]);
    expect(items.map(({ message, affects }) => [message, affects])).toEqual([
      ['The service of main refuses the requests', '2 packages'],
    ]);
  });

  it('and two causes are two items', () => {
    const gone = CAUSES['a package is gone']?.rows ?? [];
    const down = CAUSES['the database of a target is down']?.rows.slice(-2) ?? [];
    expect(readReport({ rows: [...gone, ...down] }).items.map(({ kind }) => kind)).toEqual([
      'failed',
      'target',
    ]);
  });
});
