import { describe, expect, it } from 'vitest';
import type { DriftKind } from '../../src/service/service-fields.ts';
import { CATALOGUE, findKind, findProblems, getRank } from '../../src/health/catalogue.ts';
import type { HealthFacts } from '../../src/health/facts.ts';
import { listItems } from '../../src/health/items.ts';
import { ENDED_RUN, EVERY_PROBLEM, staleStream } from '../support/fixtures/every-problem.ts';
import { FRESH_PACKAGE, healthFacts } from '../support/fixtures/health-facts.ts';
import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { failingAccount, targetAccount, targetReport } from '../support/fixtures/target-report.ts';
import { RUNS } from '../../src/publishing/targets/load-report.ts';

const find = (facts: Partial<HealthFacts>) => findProblems(healthFacts(facts));

/** Each case of EVERY_PROBLEM: its kind, the scope, the keys of the fields, and the first command. */
const CASES: [name: string, kind: string, scope: string, fields: string, command: string][] = [
  ['restricted', 'restricted', 'main', 'until back_at reason', 'resume main'],
  ['parked', 'parked', '', 'run_id resume_at error', 'sync'],
  ['run_failed', 'failed', '', 'run_id error', 'runs 2'],
  ['account_failed', 'failed', 'main', 'error run_id packages', 'check'],
  ['no_run', 'stale', '', 'last_run_at', 'start'],
  ['clock', 'clock', '', 'count offset_ms', 'timedatectl'],
  ['failed', 'failed', 'main/101', 'error walk_id failures', 'sync --package 101'],
  ['never_read', 'stale', 'main/101', 'stream last_read_at', 'sync --package 101'],
  ['stale', 'stale', 'main/101', 'stream last_read_at', ''],
  ['partial', 'partial', 'main/101', 'error walk_id', ''],
  [
    'held_back',
    'held_back',
    'main/101',
    'removals reasons command',
    'sync --package 101 --accept-removals walk:7',
  ],
  ['unordered', 'unordered', 'main/101', '', ''],
  ['storage_failed', 'failed', 'main storage', 'stream error', 'sync --storage'],
  ['gap', 'gap', 'main storage', 'count days waiting', ''],
  ['unconfirmed', 'gap', 'main storage', 'count days waiting', ''],
  [
    'discrepancy',
    'discrepancy',
    'main storage',
    'count booked differing differences',
    'correct main 2026-03-07',
  ],
  ['unpublished', 'unpublished', '', 'file published_at', 'publish'],
  ['backup', 'backup', '', 'made_at error', 'backup FILE'],
  ['config_refused', 'config', '', 'error', 'check'],
  ['packages_refused', 'config', '', 'error', 'sync --accept-retirements'],
  ['target_failed', 'target', 'warehouse', 'targets', 'publish --target warehouse'],
  ['target_refused', 'target', 'warehouse', 'targets', 'publish --target warehouse --take-over main'],
  ['target_differs', 'target', 'warehouse', 'targets', 'publish --target warehouse --rebuild main'],
  ['quarantine', 'quarantine', 'main', 'count records', 'status --json'],
  ['drift', 'drift', 'main', 'count fields', 'acknowledge main/videos/playcount'],
];

describe('the catalogue of problems', () => {
  it('has each kind once, and the table has all of them', () => {
    expect(CATALOGUE.map(({ kind }) => kind).sort()).toEqual([...INCIDENT_EVENTS].sort());
    expect(Object.keys(EVERY_PROBLEM).sort()).toEqual(CASES.map(([name]) => name).sort());
    expect(CATALOGUE.map(({ kind }) => findKind(kind)?.kind)).toEqual(CATALOGUE.map(({ kind }) => kind));
    expect(findKind('of another version')).toBeUndefined();
    expect(CATALOGUE.map((of) => getRank({ of }))).toEqual([...CATALOGUE.keys()]);
  });

  it('finds nothing in facts without a problem', () => {
    expect(find({ packages: [FRESH_PACKAGE], runs: [ENDED_RUN] })).toEqual([]);
  });

  it.each(CASES)('finds %s, of kind %s', (name, kind, scope, fields, command) => {
    const [problem, ...others] = find(EVERY_PROBLEM[name] ?? {});
    expect(others).toEqual([]);
    if (!problem) throw new Error('no problem was found');
    const { account, packageId, part } = problem.scope;
    const place = [[account, packageId].filter((each) => each !== null).join('/'), part];
    expect({
      kind: problem.of.kind,
      scope: place.filter((each) => each).join(' '),
      fields: Object.keys(problem.fields).join(' '),
      isFading: problem.isFading,
    }).toEqual({ kind, scope, fields, isFading: false });
    expect((problem.advice?.command ?? '').replace(/^vodhouse | --config .*/g, '')).toBe(command);
    expect(problem.message).not.toMatch(/\.$|undefined|null|\n/);
  });

  it('wakes somebody for what fails, is stale or is not published, and for nothing else', () => {
    const of = (wanted: string) =>
      CATALOGUE.filter(({ severity }) => severity === wanted).map(({ kind }) => kind);
    expect([of('page').sort(), of('note')]).toEqual([['failed', 'stale', 'unpublished'], ['drift']]);
  });

  it('keeps the words of the service and of libraries out of the sentence, in the details', () => {
    const technical = /no connection|ECONNREFUSED|status \d/;
    const found = Object.values(EVERY_PROBLEM)
      .flatMap((facts) => find(facts))
      .filter(({ details }) => details.some((line) => technical.test(line)));
    expect(found.length).toBeGreaterThan(3);
    expect(found.map(({ message }) => message).filter((text) => technical.test(text))).toEqual([]);
  });

  it('groups what packages have, and each of them has a state', () => {
    const all = Object.values(EVERY_PROBLEM).flatMap((facts) => find(facts));
    const ofPackages = all.filter(({ scope }) => scope.packageId !== null);
    expect(ofPackages.filter(({ of }) => !of.grouped)).toEqual([]);
    expect(ofPackages.map(({ state }) => state)).not.toContain(null);
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
    [
      'being made for two minutes after a run',
      { runs: [run('11:58:00')], publishingSince: '2026-03-10 11:58:01' },
      [true],
    ],
    [
      'being made for an hour',
      { runs: [run('10:58:00'), run('11:58:00')], publishingSince: '2026-03-10 11:00:00' },
      [false],
    ],
    ['made after the earlier run', { runs: [run('11:59:30'), run('10:30:00')] }, []],
    ['waiting for publish.every', { runs: [run('11:58:00')], config: config(7_200_000) }, []],
    ['late for publish.every', { runs: [run('11:58:00')], config: config(60_000) }, [false]],
    ['up to date', { runs: [run('11:58:00')], published: { ...published, behind: false } }, []],
    ['refused', { refusedPublication: { error: 'not ours', hint: 'move it' } }, [false]],
    ['failing', { failedPublication: { at: '2026-03-10 11:00:00', error: 'no space', hint: null } }, [false]],
    ['not configured', { published: null, failedPublication: { at: null, error: 'x', hint: null } }, []],
  ])('that is %s', (_, facts, found) => {
    expect(find({ now, published, ...facts }).map(({ isFading }) => isFading)).toEqual(found);
  });
});

describe('a target', () => {
  const targets = (...accounts: ReturnType<typeof targetAccount>[]) => ({
    targets: [targetReport(accounts)],
  });
  const early = { failing_since: '2026-03-10 10:00:00' };

  it.each([
    ['that fails is a problem at once, but no incident for an hour', '11:00:01', true],
    ['that has failed for an hour is an incident', '11:00:00', false],
  ])('%s', (_, since, isEarly) => {
    const found = find(targets(failingAccount({ failing_since: `2026-03-10 ${since}` })));
    expect(found).toMatchObject([{ of: { kind: 'target' }, isEarly }]);
  });

  it('that fails and refuses is told of by the refusal', () => {
    const failing = failingAccount({ account: 'a', failing_since: '2026-03-10 11:59:59' });
    const found = find(targets(failing, failingAccount({ account: 'b', outcome: 'refused' })));
    expect(found).toMatchObject([
      { message: expect.stringContaining('refuses account b') as string, isEarly: false },
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
    expect(problem?.details).toEqual([
      '3 accounts (a, b, c): connection refused by db.example.test:5432',
      'account d: no space',
    ]);
    expect(problem?.fields).toMatchObject({
      targets: [
        { target: 'warehouse', what: 'failed', accounts: ['a', 'b', 'c'], code: 'ECONNREFUSED' },
        { target: 'warehouse', what: 'failed', accounts: ['d'], code: '53100' },
      ],
    });
  });

  it('that refuses another copy of the file is rebuilt, not taken over', () => {
    const [problem] = find(targets(failingAccount({ outcome: 'refused', code: 'other_copy' })));
    expect(problem?.advice?.command).toContain('--rebuild main');
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
    expect([ofFields?.since, ofFields?.advice?.command]).toEqual([
      '2026-03-09 00:00:00',
      'vodhouse acknowledge',
    ]);
  });

  it('say of each kind what the records have', () => {
    const of = (kind: DriftKind, sample: string | null) =>
      find({ drift: [{ ...row, kind, sample }] })[0]?.message;
    expect([of('new', '1'), of('missing', null), of('type', '"1"'), of('form', '"02/01/2026"')]).toEqual([
      'Videos of main have a field that is not documented: playcount, e.g. 1',
      'Videos of main lack the documented field playcount',
      'Videos of main have another type in playcount: "1"',
      'Videos of main have another form of playcount, which cannot be read: "02/01/2026"',
    ]);
  });

  it('of a field whose name cannot be typed is acknowledged without it', () => {
    const [problem] = find({ drift: [{ ...row, field: 'a\nb' }] });
    expect(problem?.advice?.command).toBe('vodhouse acknowledge');
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
    [10, 10, '/packages/main/101'],
    [11, 1, '/packages'],
  ])('of %i packages with the same problem are %i', (count, shown, path) => {
    const found = items({ streams: ids(count).map((id) => staleStream(id)) });
    expect([found.length, found[0]?.place?.path, found[0]?.since]).toEqual([
      shown,
      path,
      '2026-03-10 09:59:59',
    ]);
  });

  it('have what is bad first, then what needs attention, then notes', () => {
    const facts = { ...EVERY_PROBLEM['drift'], ...EVERY_PROBLEM['gap'], ...EVERY_PROBLEM['stale'] };
    expect(items(facts).map(({ kind }) => kind)).toEqual(['stale', 'gap', 'drift']);
  });

  it('leave out what follows from the first problem of a package', () => {
    const facts = { ...EVERY_PROBLEM['failed'], ...EVERY_PROBLEM['stale'] };
    expect(items(facts).map(({ kind }) => kind)).toEqual(['failed']);
  });

  it('of accounts are one where their service is down, and stay where it refuses them', () => {
    const [stopped] = EVERY_PROBLEM['account_failed']?.stoppedAccounts ?? [];
    const stop = (isOfService: boolean) =>
      ['main', 'second'].flatMap((account) => (stopped ? { ...stopped, account, isOfService } : []));
    const found = items({ stoppedAccounts: stop(true) });
    expect(found.map(({ message, affects }) => [message, affects])).toEqual([
      ['The service of 2 accounts (main, second) does not answer', '100 packages'],
    ]);
    expect(items({ stoppedAccounts: stop(false) })).toHaveLength(2);
  });

  it('of a package stay where only another account fails', () => {
    const [stopped] = EVERY_PROBLEM['account_failed']?.stoppedAccounts ?? [];
    const stoppedAccounts = stopped ? [{ ...stopped, account: 'second' }] : [];
    const facts = { ...EVERY_PROBLEM['failed'], stoppedAccounts };
    expect(items(facts).map(({ scope }) => scope.account)).toEqual(['second', 'main']);
  });
});
