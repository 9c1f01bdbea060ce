import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { NO_PROXIES } from '../../src/lib/http/proxies.ts';
import { chmodSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST, load } from '../support/fixtures/load-config.ts';

describe('a minimal config', () => {
  test('has the defaults of the contract for everything else', () => {
    const { file, warehouse, ...config } = load(LEAST);
    expect(warehouse).toBe(join(file, '../data/vodhouse.db'));
    expect(config).toEqual({
      timezone: 'Asia/Seoul',
      durationUnit: 'ms',
      worker: hostname(),
      accounts: [
        {
          name: 'main',
          was: null,
          proxy: null,
          ca: null,
          videoList: {
            baseUrl: 'https://videos.example.test',
            key: 'first-key',
            pageSize: 1000,
            exclude: [],
          },
          storage: null,
          packages: [{ id: 101, name: null }],
          packagesFile: null,
          limits: {
            concurrency: 4,
            perSecond: 5,
            perMinute: 120,
            perDay: 20_000,
            maxWaitMs: 120_000,
            restrictedCodes: [],
            finalCodes: [],
          },
        },
      ],
      schedule: { timezone: 'Asia/Seoul', full: '0 * * * *', quick: null },
      walk: { removalBrake: 0.2, resumeWithinMs: 604_800_000, boundaryReads: 0.05 },
      publish: null,
      backup: null,
      retention: { requestsDays: 35, runsDays: 90 },
      server: null,
      notify: null,
      proxies: NO_PROXIES,
      secrets: ['first-key'],
    });
  });

  test('has the defaults of a section that is present and empty', () => {
    const config = load(`${LEAST}publish: {}\nserver: {}\nnotify: {}\n`);
    expect(config.publish).toMatchObject({
      exclude: ['access_key', 'org_access_key'],
      tagSeparators: [',', ';'],
      everyMs: 0,
      targets: [],
    });
    expect(config.publish?.file).toBe(join(config.file, '../published/vodhouse.bi.db'));
    expect(config.server).toEqual({
      host: '127.0.0.1',
      port: 8320,
      keys: [],
      url: null,
      title: null,
      trustProxy: false,
    });
    expect(config.notify).toEqual({
      webhook: null,
      ping: null,
      events: [...INCIDENT_EVENTS],
      remindAfterMs: 86_400_000,
    });
  });
});

describe('a full config', () => {
  const everything = `warehouse: ../elsewhere/w.db
timezone: Europe/Berlin
duration_unit: s
accounts:
  - name: main
    was: former
    video_list: { base_url: "https://videos.example.test/api/", key: first-key, page_size: 20, exclude: [opt] }
    storage:
      base_url: http://reports.example.test:8080/
      auth: { header: x-api-key }
      key: second-key
      since: 2026-01-01
      settle: 90m
      recheck_days: 0
      give_up_days: 30
      optional: [ad_org_cnt]
      plausible_factor: 3.5
    packages: [101, { id: 102, name: Lectures }, { id: 103 }]
    limits:
      concurrency: 1
      per_second: null
      per_minute: null
      per_day: null
      max_wait: 500ms
      restricted_codes: [Busy, 0429]
      final_codes: [Denied]
  - name: other
    video_list: { base_url: https://videos.example.test, key: third-key }
    storage: { base_url: https://reports.example.test, auth: query }
schedule: { full: "15 3 * * mon-fri", quick: "*/10 * * * *" }
walk: { removal_brake: 1, resume_within: 1d, boundary_reads: 0 }
publish: { file: /srv/bi/w.db, exclude: [], tag_separators: ["|", " "], every: 30m }
retention: { requests_days: 1, runs_days: 2 }
server: { host: 0.0.0.0, port: 80, keys: [fourth-key-of-16], trust_proxy: 10.0.0.7 }
notify: { webhook: https://hooks.example.test/x?y=z, ping: https://ping.example.test, remind_after: 90m }
`;

  test('has durations in milliseconds and addresses without a trailing slash', () => {
    const config = load(everything);
    expect(config.accounts[0]).toEqual({
      name: 'main',
      was: 'former',
      proxy: null,
      ca: null,
      videoList: {
        baseUrl: 'https://videos.example.test/api',
        key: 'first-key',
        pageSize: 20,
        exclude: ['opt'],
      },
      storage: {
        baseUrl: 'http://reports.example.test:8080',
        auth: { header: 'x-api-key' },
        key: 'second-key',
        since: '2026-01-01',
        settleMs: 5_400_000,
        recheckDays: 0,
        giveUpDays: 30,
        optional: ['ad_org_cnt'],
        plausibleFactor: 3.5,
      },
      packages: [
        { id: 101, name: null },
        { id: 102, name: 'Lectures' },
        { id: 103, name: null },
      ],
      packagesFile: null,
      limits: {
        concurrency: 1,
        perSecond: null,
        perMinute: null,
        perDay: null,
        maxWaitMs: 500,
        restrictedCodes: ['Busy', '0429'],
        finalCodes: ['Denied'],
      },
    });
    expect(config).toMatchObject({
      durationUnit: 's',
      schedule: { full: '15 3 * * mon-fri', quick: '*/10 * * * *' },
      walk: { removalBrake: 1, resumeWithinMs: 86_400_000, boundaryReads: 0 },
      retention: { requestsDays: 1, runsDays: 2 },
      notify: {
        webhook: 'https://hooks.example.test/x?y=z',
        ping: { success: 'https://ping.example.test', start: null, failure: null },
        remindAfterMs: 5_400_000,
      },
    });
  });

  test('lists every key and every webhook address once as a secret', () => {
    expect(load(everything).secrets).toEqual([
      'first-key',
      'second-key',
      'third-key',
      'fourth-key-of-16',
      'https://hooks.example.test/x?y=z',
      'https://ping.example.test',
    ]);
  });

  test('has an address for each ping, also as secrets', () => {
    const ping = '{ success: https://p.test/1, start: https://p.test/2 }';
    const config = load(`${LEAST}notify: { ping: ${ping} }\n`);
    expect(config.notify?.ping).toEqual({
      success: 'https://p.test/1',
      start: 'https://p.test/2',
      failure: null,
    });
    expect(config.secrets).toEqual(expect.arrayContaining(['https://p.test/1', 'https://p.test/2']));
  });

  test('is frozen, including nested lists', () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every((inner) => isFrozen(inner)));
    expect(isFrozen(load(everything))).toBe(true);
  });
});

describe('YAML', () => {
  test.each(['0123', '12345678901234567890', '12e5', '0x1F'])(
    'preserves the key %s as it is written',
    (key) => {
      expect(load(LEAST.replace('first-key', key)).accounts[0]?.videoList.key).toBe(key);
    },
  );

  test('may have a byte order mark and CRLF', () => {
    expect(load(`\uFEFF${LEAST.replaceAll('\n', '\r\n')}`).timezone).toBe('Asia/Seoul');
  });
});

describe('a file that cannot be read', () => {
  test('has the command that creates one where there is none', () => {
    const error = catchConfigError(() => loadConfig(join(createFolder({}), 'vodhouse.yaml'), {}));
    expect(error.message).toMatch(/vodhouse\.yaml does not exist$/);
    expect(error.hint).toBe('vodhouse init writes one');
  });

  test.skipIf(process.getuid?.() === 0)('has the reason where permissions are missing', () => {
    const file = join(createFolder({ 'vodhouse.yaml': LEAST }), 'vodhouse.yaml');
    chmodSync(file, 0);
    expect(catchConfigError(() => loadConfig(file, {})).message).toMatch(
      /cannot be read: it belongs to user \d+, with mode 000, and this is user \d+/,
    );
  });
});

describe('the own schedule of a package', () => {
  const withPackages = (packages: string) => LEAST.replace('[101]', packages);

  test('is a cron expression of full walks', () => {
    const { accounts } = load(withPackages('[101, { id: 102, schedule: "@weekly" }, { id: 103 }]'));
    expect(accounts[0]?.packages).toEqual([
      { id: 101, name: null },
      { id: 102, name: null, full: '0 0 * * 0' },
      { id: 103, name: null },
    ]);
  });

  test.each([
    [
      '{ id: 102, schedule: { full: "@hourly" } }',
      'packages[0].schedule: a mapping is not valid; expected a cron',
    ],
    ['{ id: 102, schedule: often }', 'packages[0].schedule: "often" is not valid; expected a cron'],
  ])('%s is rejected', (entry, expected) => {
    expect(catchConfigError(() => load(withPackages(`[${entry}]`))).message).toContain(expected);
  });
});
