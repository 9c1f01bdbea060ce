/** The manifests: valid for the API of Kubernetes, without unknown fields, and what they say of vodhouse is true. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StatefulSet, type IStatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy, type INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget, type IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Pod, Service, type IConfigMap, type IPod, type IService } from 'kubernetes-models/v1';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { eventually, startVodhouse } from '../support/processes/vodhouse-command.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

const FOLDER = 'deploy/kubernetes';
const read = (name: string) => parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8')) as unknown;

const set = read('statefulset') as IStatefulSet;
const config = read('configmap') as IConfigMap;
const service = read('service') as IService;
const budget = read('poddisruptionbudget') as IPodDisruptionBudget;
const policy = read('networkpolicy') as INetworkPolicy;
const POD_FILES = ['maintenance/pod'];
const pods = POD_FILES.map((name) => read(name) as IPod);
const pod = set.spec?.template.spec;
const [container] = pod?.containers ?? [];

/** The kind of each file, and the module of its type. */
const TYPES: Record<string, [type: string, module: string]> = {
  statefulset: ['IStatefulSet', 'apps/v1'],
  configmap: ['IConfigMap', 'v1'],
  service: ['IService', 'v1'],
  poddisruptionbudget: ['IPodDisruptionBudget', 'policy/v1'],
  networkpolicy: ['INetworkPolicy', 'networking.k8s.io/v1'],
  'maintenance/pod': ['IPod', 'v1'],
};

/** What the compiler says of a manifest as a literal of its type: unknown fields are errors. */
function findTypeErrors(documents: Readonly<Record<string, unknown>>): string[] {
  const files = Object.entries(documents).map(([name, document]) => {
    const [type, module] = TYPES[name] ?? ['', ''];
    const models = resolve('node_modules/kubernetes-models', module, 'index');
    const text = `import type { ${type} } from '${models}';\nexport const value: ${type} = ${JSON.stringify(document)};\n`;
    const path = join(temporaryFolder(), `${name.replace('/', '-')}.ts`);
    writeFileSync(path, text);
    return path;
  });
  const options = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.CommonJS,
  };
  const program = ts.createProgram(files, { ...options, ignoreDeprecations: '6.0' });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe('the manifests', () => {
  it('are the files of the folder, and valid', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.yaml')).sort()).toEqual(
      Object.keys(TYPES)
        .map((name) => `${name}.yaml`)
        .sort(),
    );
    new StatefulSet(set).validate();
    new ConfigMap(config).validate();
    new Service(service).validate();
    new PodDisruptionBudget(budget).validate();
    new NetworkPolicy(policy).validate();
    for (const each of pods) new Pod(each).validate();
    const wrong = { ...set, spec: { ...set.spec, replicas: 'two' } } as unknown as IStatefulSet;
    expect(() => new StatefulSet(wrong).validate()).toThrow(); // the check works
  });

  it('have no field that the API does not know', () => {
    const documents = Object.fromEntries(Object.keys(TYPES).map((name) => [name, read(name)]));
    expect(findTypeErrors(documents)).toEqual([]);
    const wrong = structuredClone<unknown>(set) as { spec: { template: { spec: Record<string, unknown> } } };
    wrong.spec.template.spec['terminationGracePeriod'] = 30;
    expect(findTypeErrors({ statefulset: wrong }).join()).toContain(
      `"terminationGracePeriod"' does not exist`,
    );
  });

  it('select the same pods', () => {
    const labels = set.spec?.template.metadata?.labels;
    expect(set.spec?.selector.matchLabels).toEqual(labels);
    expect(service.spec?.selector).toEqual(labels);
    expect(budget.spec?.selector?.matchLabels).toEqual(labels);
    expect(policy.spec?.podSelector.matchLabels).toEqual(labels);
    expect(set.spec?.serviceName).toBe(service.metadata?.name);
  });

  it('run the image as it expects, with room to stop', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    expect(dockerfile).toContain(
      `USER ${pod?.securityContext?.runAsUser}:${pod?.securityContext?.runAsGroup}\n`,
    );
    expect(dockerfile).toContain(`EXPOSE ${container?.ports?.[0]?.containerPort}\n`);
    expect(dockerfile).toContain(
      `VOLUME ${container?.volumeMounts?.find(({ name }) => name === 'data')?.mountPath}\n`,
    );
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(5);
    expect(policy.spec?.ingress?.[0]?.ports?.[0]?.port).toBe(container?.ports?.[0]?.containerPort);
  });
});

describe.each(pods)('the pod $metadata.name', (maintenance) => {
  const [own] = maintenance.spec?.containers ?? [];
  const claimOf = (name: string) =>
    maintenance.spec?.volumes?.find((volume) => volume.name === name)?.persistentVolumeClaim?.claimName;

  it('is the pod of vodhouse-0, on its volume, with a shell in place of the worker', () => {
    expect(own?.env).toEqual([{ name: 'POD_NAME', value: 'vodhouse-0' }]);
    const template = set.spec?.volumeClaimTemplates?.[0]?.metadata?.name;
    expect(claimOf('data')).toBe(`${template}-${set.metadata?.name}-0`);
    expect(own?.command).toEqual(['sleep', 'infinity']);
    const { image, resources, securityContext } = container ?? {};
    expect(own).toMatchObject({ image, resources, securityContext });
    expect(own?.volumeMounts).toEqual(expect.arrayContaining(container?.volumeMounts ?? []));
    expect(maintenance.spec?.volumes).toEqual(expect.arrayContaining(pod?.volumes ?? []));
    expect(maintenance.spec?.securityContext).toEqual(pod?.securityContext);
  });

  it('is no worker for the service, the budget and the StatefulSet', () => {
    const labels = maintenance.metadata?.labels ?? {};
    expect(labels['app.kubernetes.io/name']).not.toBe(
      set.spec?.selector.matchLabels?.['app.kubernetes.io/name'],
    );
  });
});

/** The config of a pod as it is mounted, with the folder of its secrets and its port replaced. */
function writeConfig(name: string, change: (text: string) => string) {
  const secrets = createFolder({
    [`${name}.key`]: 'sandbox-key\n',
    'server.key': 'a-key-of-the-server\n',
    postgres: 'postgres://vodhouse:password@db.example.test:5432/warehouse\n',
  });
  const text = config.data?.[`${name}.yaml`]?.replaceAll('/run/secrets/vodhouse', secrets) ?? '';
  return createFolder({ 'vodhouse.yaml': change(text) });
}

describe('the config of a pod', () => {
  const names = Array.from({ length: set.spec?.replicas ?? 0 }, (_, ordinal) => `vodhouse-${ordinal}`);

  it('is there for each pod, valid, with an account of its own and the name of the pod', () => {
    expect(Object.keys(config.data ?? {})).toEqual(names.map((name) => `${name}.yaml`));
    const loaded = names.map((name) =>
      loadConfig(
        join(
          writeConfig(name, (text) => text),
          'vodhouse.yaml',
        ),
        { POD_NAME: name },
      ),
    );
    expect(loaded.map(({ worker }) => worker)).toEqual(names);
    expect(new Set(loaded.flatMap(({ accounts }) => accounts.map((each) => each.name))).size).toBe(
      names.length,
    );
    for (const { server } of loaded)
      expect(server).toMatchObject({ host: '0.0.0.0', port: container?.ports?.[0]?.containerPort });
  });

  it('starts a worker that answers the probes', async () => {
    const { url } = await startSandbox();
    const cwd = writeConfig('vodhouse-0', (text) =>
      text
        .replaceAll(/https:\/\/\w+\.example\.test/g, url)
        .replaceAll('/var/lib/vodhouse', 'data')
        .replace(/\n *targets: .*/, '')
        .replace('host: 0.0.0.0', 'host: 0.0.0.0, port: 0'),
    );
    const worker = startVodhouse(['start'], { cwd, env: { POD_NAME: 'vodhouse-0' } });
    await eventually(worker.stderr).toContain('serving at');
    const port = /serving at http:\/\/[^:]+:(\d+)/.exec(worker.stderr())?.[1];
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    for (const probe of probes) {
      expect(probe?.httpGet?.port).toBe(container?.ports?.[0]?.name);
      const answer = await fetch(`http://127.0.0.1:${port}${probe?.httpGet?.path}`);
      expect([probe?.httpGet?.path, answer.status]).toEqual(['/healthz', 200]);
    }
  });
});
