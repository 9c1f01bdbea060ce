import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { listParameters, readCopy, readStages } from '../support/dockerfile.ts';

const read = (path: string) => readFileSync(path, 'utf8');

interface Compose {
  services: Record<string, { volumes?: string[]; secrets?: string[] }>;
  secrets: Record<string, { file: string }>;
}

/** The config of a container, with its secrets in a folder of their own. */
function loadMounted(text: string, env: Record<string, string> = {}) {
  const names = [...text.matchAll(/\$\{file:\/run\/secrets\/((?:\$\{\w+\}|[^}$])+)\}/g)].map(
    ([, name = '']) => name.replace(/\$\{(\w+)\}/, (_, variable: string) => env[variable] ?? ''),
  );
  const secrets = createFolder(Object.fromEntries(names.map((name) => [name, '0123456789abcdef\n'])));
  const folder = createFolder({ 'vodhouse.yaml': text.replaceAll('/run/secrets', secrets) });
  return { config: loadConfig(`${folder}/vodhouse.yaml`, env), names };
}

describe.each([
  ['compose.yaml', 'deploy/compose/vodhouse.yaml'],
  ['compose.postgres.yaml', 'deploy/compose/vodhouse.postgres.yaml'],
])('%s', (path, configPath) => {
  const base = parse(read('compose.yaml')) as Compose;
  const compose = parse(read(path)) as Compose;

  it('mounts files that exist', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const files = mounted.filter((each) => each.startsWith('./')).map((each) => each.split(':')[0] ?? '');
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('has a config that is valid, and its secrets', () => {
    const { config, names } = loadMounted(read(configPath));
    expect(config.server).toMatchObject({ host: '0.0.0.0', port: 8320 });
    expect(config.warehouse).toBe('/var/lib/vodhouse/vodhouse.db');
    const secrets = new Set([base, compose].flatMap(({ services }) => services['vodhouse']?.secrets ?? []));
    expect([...secrets].sort()).toEqual([...new Set(names)].sort());
  });
});

it('deploy/kubernetes.yaml has a valid config for its pod', () => {
  const [map] = parseAllDocuments(read('deploy/kubernetes.yaml')).map(
    (document) => document.toJS() as { data: Record<string, string> },
  );
  const { config } = loadMounted(map?.data['vodhouse-0.yaml'] ?? '', { POD_NAME: 'vodhouse-0' });
  expect(config).toMatchObject({ worker: 'vodhouse-0', server: { host: '0.0.0.0', port: 8320 } });
});

it('the Dockerfile copies files that exist and that .dockerignore lets pass, all that npm packs', () => {
  const [build] = readStages();
  const sources = (build ? listParameters(build, 'COPY') : []).flatMap((each) => readCopy(each).sources);
  const passing = read('.dockerignore').split('\n');
  expect(sources.filter((source) => !existsSync(source) || !passing.includes(`!${source}`))).toEqual([]);
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  const made = ['deploy', 'dist', 'docs', 'npm-shrinkwrap.json']; // made in the image, or not needed there
  const needed = files
    .filter((each) => !each.startsWith('!'))
    .map((each) => each.split('/')[0] ?? '')
    .filter((each) => !made.includes(each));
  expect(needed.filter((each) => !sources.includes(each))).toEqual([]);
});
