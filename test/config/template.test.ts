import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../../src/config/template.ts';
import { CONFIG_TEMPLATE } from '../../src/config/template.ts';
import { LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

const POSTGRES = 'postgres://loader:the-word@db.example.test/videos';
const S3 = { VODHOUSE_S3_KEY_ID: 'the-id', VODHOUSE_S3_SECRET: 'the-secret', VODHOUSE_S3_TOKEN: 'the-token' };
const ENV = { VODHOUSE_KEY: 'the-key', VODHOUSE_PG_URL: POSTGRES, ...S3 };
const LEAST_TARGETS = `[
  { name: warehouse, postgres: "${POSTGRES}" },
  { name: lake, folder: /srv/lake },
  {
    name: bucket, s3: s3://my-bucket/lake, region: eu-central-1, endpoint: "https://s3.example.test:9000",
    access_key_id: the-id, secret_access_key: the-secret, session_token: the-token
  }
  ]`;
const COMMENTED_KEY = /^( *)#((?: {2})*)(?=(?:- )?[a-z0-9_]+:)/gm;
const uncommented = CONFIG_TEMPLATE.replaceAll(COMMENTED_KEY, '$1$2');
/** Without the files of certificates, which are not there. */
const loadable = uncommented.replaceAll(/^ *ca: .*\n/gm, '');

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  pattern?: string;
}
const schema = configJsonSchema() as Schema & { $schema: string; title: string };

/** Every key of the schema with its path, through lists and unions. */
function listKeys(node: Schema, path = ''): [string, Schema][] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, inner]): [string, Schema][] => [
    [`${path}.${name}`, inner],
    ...listKeys(inner, `${path}.${name}`),
  ]);
  const inside = [...(node.anyOf ?? []), ...(node.items ? [node.items] : [])];
  return [...own, ...inside.flatMap((inner) => listKeys(inner, path))];
}

/** Every key of a parsed file with its path, without the indexes of lists. */
function keysIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((inner) => keysIn(inner, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}.${name}`,
    ...keysIn(inner, `${path}.${name}`),
  ]);
}

describe('the template', () => {
  test('begins with the address of its JSON schema', () => {
    expect(CONFIG_TEMPLATE).toMatch(/^# yaml-language-server: \$schema=\.\/vodhouse\.schema\.json\n/);
  });

  test('is a valid config as soon as its key is set', () => {
    const config = load(CONFIG_TEMPLATE, ENV);
    expect(config.accounts).toMatchObject([
      {
        name: 'main',
        packages: [
          { id: 101, name: null },
          { id: 102, name: 'Lectures' },
        ],
        storage: { key: 'the-key' },
      },
    ]);
  });

  test('lacks only its key', () => {
    expect(readProblems(CONFIG_TEMPLATE)).toEqual([expect.stringContaining('${VODHOUSE_KEY} is not set')]);
  });

  test('means the same with its commented defaults uncommented, except for the former name, the proxy, the first day, the webhooks and their events, the worker, the title and the targets', () => {
    expect(uncommented).not.toBe(CONFIG_TEMPLATE);
    const plain = load(CONFIG_TEMPLATE, ENV);
    const config = load(loadable, ENV);
    const storage = { ...plain.accounts[0]?.storage, since: '2026-01-01' };
    const { file, warehouse } = config;
    const targets = load(`${LEAST}publish: { targets: ${LEAST_TARGETS} }\n`);
    const publish = { ...plain.publish, file: config.publish?.file, targets: targets.publish?.targets };
    const notify = {
      webhook: 'https://hooks.example.test/a/b',
      ping: { success: 'https://ping.example.test/a', start: null, failure: null },
      events: ['failed', 'stale', 'restricted'],
      remindAfterMs: 86_400_000,
    };
    expect(config).toEqual({
      ...plain,
      notify,
      worker: 'eu-1',
      server: { ...plain.server, title: 'Videos' },
      backup: { schedule: '30 2 * * *', folder: join(dirname(file), 'data/backups'), keep: 7 },
      secrets: [
        ...plain.secrets,
        notify.webhook,
        notify.ping.success,
        POSTGRES,
        'the-word',
        ...Object.values(S3),
      ],
      file,
      warehouse,
      publish,
      accounts: [{ ...plain.accounts[0], storage, was: 'old-name', proxy: 'none' }],
    });
  });

  test('has every key', () => {
    const shown = new Set(keysIn(parse(uncommented)));
    const pings = ['success', 'start', 'failure'].map((kind) => `.notify.ping.${kind}`);
    const optional = [
      '.accounts.storage.key',
      '.accounts.storage.auth.header',
      '.accounts.packages.file',
      ...pings,
      '.accounts.packages.schedule',
      '.accounts.packages.schedule.full',
    ];
    const missing = listKeys(schema)
      .map(([path]) => path)
      .filter((path) => !shown.has(path));
    expect(missing.toSorted()).toEqual(optional.toSorted());
  });

  test('has lines that fit a terminal', () => {
    expect(Math.max(...CONFIG_TEMPLATE.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe('the JSON schema', () => {
  test('has a draft version that editors support, and an id', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema.title).toBe('vodhouse.yaml');
    expect(schema.required).toEqual(['timezone', 'accounts']);
  });

  test('has every key of the template', () => {
    const known = listKeys(schema).map(([path]) => path);
    expect(known).toEqual(expect.arrayContaining(keysIn(parse(uncommented))));
  });

  test('has a sentence for every key', () => {
    for (const [path, { description }] of listKeys(schema)) {
      expect(description, path).toMatch(/^\S.*\.$/);
    }
  });

  test('rejects unknown keys at every level', () => {
    for (const [path, node] of [['', schema] as const, ...listKeys(schema)]) {
      if (node.properties) expect(node.additionalProperties, path).toBe(false);
    }
  });

  test('accepts ${NAME} wherever text is accepted', () => {
    const patterns = listKeys(schema).flatMap(([, { pattern }]) => pattern ?? []);
    expect(patterns.length).toBeGreaterThan(5);
    for (const pattern of patterns) expect('${NAME}').toMatch(new RegExp(pattern, 'u'));
  });
});
