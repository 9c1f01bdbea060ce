import { describe, expect, it } from 'vitest';
import { CATALOGUE, findKind, findProblems } from '../../src/health/catalogue.ts';
import type { HealthFacts } from '../../src/health/facts.ts';
import { listItems } from '../../src/health/items.ts';
import { ENDED_RUN, EVERY_PROBLEM, staleStream } from '../support/fixtures/every-problem.ts';
import { FRESH_PACKAGE, healthFacts } from '../support/fixtures/health-facts.ts';
import { failingAccount, targetAccount, targetReport } from '../support/fixtures/target-report.ts';
import { RUNS } from '../../src/lib/load-report.ts';

const find = (facts: Partial<HealthFacts>) => findProblems(healthFacts(facts));
const kindsOf = (facts: Partial<HealthFacts>) => find(facts).map(({ of }) => of.kind);

/** Each kind: what messages call it, how severe it is, its scope, the keys of its fields, and its first command. */
const KINDS: [
  kind: string,
  event: string,
  severity: string,
  scope: string,
  fields: string,
  command: string,
][] = [
  ['restricted', 'restricted', 'attention', 'main', 'until back_at reason', 'resume main'],
  ['parked', 'parked', 'attention', '', 'run_id resume_at error', 'sync'],
  ['run_failed', 'failed', 'bad', '', 'run_id error', 'runs 2'],
  ['account_failed', 'failed', 'bad', 'main', 'error run_id packages', 'check'],
  ['no_run', 'stale', 'bad', '', 'last_run_at', 'start'],
  ['clock', 'clock', 'attention', '', 'count offset_ms', ''],
  ['failed', 'failed', 'bad', 'main/101', 'error walk_id failures', ''],
  ['never_read', 'stale', 'bad', 'main/101', 'stream last_read_at', 'sync --package 101'],
  ['stale', 'stale', 'bad', 'main/101', 'stream last_read_at', ''],
  ['partial', 'partial', 'attention', 'main/101', 'error walk_id', ''],
  [
    'held_back',
    'held_back',
    'attention',
    'main/101',
    'removals reasons command',
    'sync --package 101 --accept-removals 7 --config /srv/vodhouse.yaml',
  ],
  ['unordered', 'unordered', 'attention', 'main/101', '', ''],
  ['storage_failed', 'failed', 'bad', 'main storage', 'stream error', ''],
  ['gap', 'gap', 'attention', 'main storage', 'count days', ''],
  ['time_zone', 'time_zone', 'attention', 'main storage', 'booked differing', ''],
  ['unconfirmed', 'unconfirmed', 'attention', 'main storage', 'count days', ''],
  ['discrepancy', 'discrepancy', 'attention', 'main storage', 'count differences', 'correct main 2026-03-07'],
  ['unpublished', 'unpublished', 'attention', '', 'file published_at', 'publish'],
  ['backup', 'backup', 'attention', '', 'made_at error', 'backup FILE'],
  ['config_refused', 'config', 'attention', '', 'error', 'check'],
  ['packages_refused', 'config', 'attention', '', 'error', 'check'],
  ['target_failed', 'target', 'attention', 'warehouse', 'targets', 'publish --target warehouse'],
  [
    'target_refused',
    'target',
    'attention',
    'warehouse',
    'targets',
    'publish --target warehouse --take-over main',
  ],
  [
    'target_differs',
    'target',
    'attention',
    'warehouse',
    'targets',
    'publish --target warehouse --rebuild main',
  ],
  [
    'quarantine',
    'quarantine',
    'attention',
    'main',
    'count records',
    "select * from quarantine where account = 'main' and resolved_at is null",
  ],
  ['drift', 'drift', 'note', 'main', 'count fields', 'acknowledge main/videos/playcount'],
];

describe('the catalogue of problems', () => {
  it('has each kind once, and the table below has all of them', () => {
    expect(KINDS.map(([kind]) => kind)).toEqual(CATALOGUE.map(({ kind }) => kind));
    expect(Object.keys(EVERY_PROBLEM).sort()).toEqual(KINDS.map(([kind]) => kind).sort());
    expect(findKind('of another version')).toBeUndefined();
  });

  it('finds nothing in facts without a problem', () => {
    expect(find({ packages: [FRESH_PACKAGE], runs: [ENDED_RUN] })).toEqual([]);
  });

  it.each(KINDS)('finds %s, of event %s', (kind, event, severity, scope, fields, command) => {
    const [problem, ...others] = find(EVERY_PROBLEM[kind] ?? {});
    expect(others).toEqual([]);
    if (!problem) throw new Error('no problem was found');
    const { account, packageId, part } = problem.scope;
    const place = [[account, packageId].filter((each) => each !== null).join('/'), part];
    expect({
      ...{ kind: problem.of.kind, event: problem.of.event, severity: problem.of.severity },
      scope: place.filter((each) => each).join(' '),
      fields: Object.keys(problem.fields).join(' '),
      command: (problem.advice.find((each) => each.command)?.command ?? '').replace(/^vodhouse /, ''),
      isFading: problem.isFading,
    }).toEqual({ kind, event, severity, scope, fields, command, isFading: false });
    const names = { account: 'main', subject: 'main/101', part: 'warehouse' };
    for (const text of [problem.message, problem.of.resolved(names)]) {
      expect(text).not.toMatch(/\.$|undefined|null|\n/);
    }
    expect(problem.of.resolved(names)).not.toBe(problem.message);
  });

  it('groups only kinds of packages, and each of them has a state', () => {
    const ofPackages = CATALOGUE.filter(({ kind }) => find(EVERY_PROBLEM[kind] ?? {})[0]?.scope.packageId);
    expect(CATALOGUE.filter(({ grouped }) => grouped)).toEqual(ofPackages);
    expect(ofPackages.map(({ kind }) => find(EVERY_PROBLEM[kind] ?? {})[0]?.state)).not.toContain(null);
  });
});

describe('a run in progress', () => {
  const running = { ...ENDED_RUN, status: 'running' as const, finished_at: null };

  it.each(['parked', 'clock'])('lets %s of the run before it fade', (kind) => {
    const runs = [running, ...(EVERY_PROBLEM[kind]?.runs ?? [])];
    expect(find({ runs }).map(({ of, isFading }) => [of.kind, isFading])).toEqual([[kind, true]]);
  });

  it.each([
    [false, [true]],
    [true, [false]],
  ])('reads streams that were never read: due %s, fading %j', (isFirstReadDue, fading) => {
    const facts = { ...EVERY_PROBLEM['never_read'], isFirstReadDue };
    expect(find(facts).map(({ isFading }) => isFading)).toEqual(fading);
  });
});

describe('the published file', () => {
  const published = { file: 'bi.db', published_at: '2026-03-10 11:00:00', behind: true };
  const run = (time: string, more: object = {}) => ({
    ...ENDED_RUN,
    finished_at: `2026-03-10 ${time}`,
    ...more,
  });
  const now = Date.parse('2026-03-10T12:00:00Z');
  const config = (everyMs: number) =>
    ({ accounts: [], publish: { everyMs } }) as unknown as HealthFacts['config'];

  it.each<[name: string, facts: Partial<HealthFacts>, found: (boolean | null)[]]>([
    ['behind for two minutes after a run', { runs: [run('11:58:00')] }, [false]],
    ['right after a run', { runs: [run('11:58:01')] }, []],
    ['during a run, with changes of an earlier one', { runs: [run('11:59:30'), run('11:30:00')] }, [true]],
    ['made after the earlier run', { runs: [run('11:59:30'), run('10:30:00')] }, []],
    ['waiting for publish.every', { runs: [run('11:58:00')], config: config(7_200_000) }, []],
    ['late for publish.every', { runs: [run('11:58:00')], config: config(60_000) }, [false]],
    ['up to date', { runs: [run('11:58:00')], published: { ...published, behind: false } }, []],
    ['refused', { refusedPublication: { error: 'not ours', hint: 'move it' } }, [false]],
    ['failing', { failedPublication: { at: '2026-03-10 11:00:00', error: 'no space' } }, [false]],
    ['not configured', { published: null, failedPublication: { at: '2026-03-10 11:00:00', error: 'x' } }, []],
  ])('that is %s', (_, facts, found) => {
    expect(find({ now, published, ...facts }).map(({ isFading }) => isFading)).toEqual(found);
  });
});

describe('a target', () => {
  const targets = (...accounts: ReturnType<typeof targetAccount>[]) => ({
    targets: [targetReport(accounts)],
  });
  const early = { failing_since: '2026-03-10 10:00:00' };

  it('that fails is a problem after an hour', () => {
    expect(kindsOf(targets(failingAccount({ failing_since: '2026-03-10 11:00:01' })))).toEqual([]);
    expect(kindsOf(targets(failingAccount({ failing_since: '2026-03-10 11:00:00' })))).toEqual([
      'target_failed',
    ]);
  });

  it('is one problem with the accounts of each reason, without the tables of runs', () => {
    const rows = [
      ...['a', 'b', 'c'].map((account) => failingAccount({ account, ...early })),
      failingAccount({ account: 'd', ...early, error: 'no space', code: '53100' }),
      failingAccount({ account: RUNS, ...early }),
    ];
    const [problem, ...others] = find(targets(...rows));
    expect([others, problem?.since]).toEqual([[], early.failing_since]);
    expect(problem?.fields).toMatchObject({
      targets: [
        { target: 'warehouse', what: 'failed', accounts: ['a', 'b', 'c'], code: 'ECONNREFUSED' },
        { target: 'warehouse', what: 'failed', accounts: ['d'], code: '53100' },
      ],
    });
  });

  it('that refuses another copy of the file is rebuilt, not taken over', () => {
    const [problem] = find(targets(failingAccount({ outcome: 'refused', code: 'other_copy' })));
    expect(problem?.advice[0]?.command).toContain('--rebuild main');
  });
});

describe('drift and quarantine', () => {
  const [row] = EVERY_PROBLEM['drift']?.drift ?? [];
  const [records] = EVERY_PROBLEM['quarantine']?.quarantine ?? [];
  if (!row || !records) throw new Error('the fixture lacks rows');

  it('are one problem an account, with all their fields and records', () => {
    const drift = [row, { ...row, field: 'mood', first_seen_at: '2026-03-09 00:00:00' }];
    const quarantine = [records, { ...records, stream: 'storage' as const }];
    const [ofRecords, ofFields, ...others] = find({ drift, quarantine });
    expect(others).toEqual([]);
    expect(ofRecords?.fields).toMatchObject({
      count: 2,
      records: [{ stream: 'videos' }, { stream: 'storage' }],
    });
    expect(ofFields?.fields).toMatchObject({ count: 2, fields: [{ field: 'playcount' }, { field: 'mood' }] });
    expect([ofFields?.since, ofFields?.advice[0]?.command]).toEqual([
      '2026-03-09 00:00:00',
      'vodhouse acknowledge',
    ]);
  });

  it('of a field whose name cannot be typed is acknowledged without it', () => {
    const [problem] = find({ drift: [{ ...row, field: 'a\nb' }] });
    expect(problem?.advice[0]?.command).toBe('vodhouse acknowledge');
    expect(find({ drift: [{ ...row, acknowledged_at: '2026-03-10 12:00:00' }] })).toEqual([]);
  });
});

describe('the items', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => 101 + index);
  const items = (facts: Partial<HealthFacts>) => {
    const { formatCommand } = healthFacts();
    return listItems(
      find(facts).filter(({ isFading }) => !isFading),
      formatCommand,
    );
  };

  it.each([
    [10, Array.from({ length: 10 }, () => false)],
    [11, [true]],
  ])('of %i packages with the same problem are one from eleven on', (count, groups) => {
    const found = items({ streams: ids(count).map((id) => staleStream(id)) });
    expect(found.map(({ isGroup }) => isGroup)).toEqual(groups);
    expect(found[0]?.since).toBe('2026-03-10 09:59:59');
  });

  it('have what is bad first, then what needs attention, then notes', () => {
    const facts = { ...EVERY_PROBLEM['drift'], ...EVERY_PROBLEM['gap'], ...EVERY_PROBLEM['stale'] };
    expect(items(facts).map(({ problem }) => problem.of.kind)).toEqual(['stale', 'gap', 'drift']);
  });

  it('show what follows from the first problem of a package below it', () => {
    const facts = { ...EVERY_PROBLEM['failed'], ...EVERY_PROBLEM['stale'] };
    const [item, ...others] = items(facts);
    expect([others, item?.problem.of.kind, item?.details.length]).toEqual([[], 'failed', 1]);
  });

  it('of a package stay where only another account fails', () => {
    const [stopped] = EVERY_PROBLEM['account_failed']?.stoppedAccounts ?? [];
    const stoppedAccounts = stopped ? [{ ...stopped, account: 'second' }] : [];
    const facts = { ...EVERY_PROBLEM['failed'], stoppedAccounts };
    expect(items(facts).map(({ problem }) => problem.of.kind)).toEqual(['account_failed', 'failed']);
  });
});
