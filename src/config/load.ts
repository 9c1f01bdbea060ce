/** Reads the config: the YAML file, its variables, and the other files that it names. */
import { dirname, resolve } from 'node:path';
import type * as z from 'zod';
import { ConfigError } from '../lib/errors.ts';
import { configSchema, DEFAULT_FILES, type Config } from './config.ts';
import { readAuthorities } from './certificates.ts';
import { findCrossFieldProblems, type ToAbsolute } from './cross-field-checks.ts';
import { createLookup, readIfExists } from './lookup.ts';
import { findUnknownException, listProxySecrets, type Proxies } from '../lib/http/proxies.ts';
import { commandsFor } from '../lib/shell-command.ts';
import { readPackagesFile } from './packages-file.ts';
import { formatProblems, toProblems } from './problems.ts';
import { completeTarget, listTargetSecrets } from './publish-targets.ts';
import { parseSource, type Source } from './source.ts';
import { isProxyAddress } from './value-types.ts';

type Settings = z.output<typeof configSchema>;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads, checks and freezes the config, with the packages that its CSV files have now. Variables come from
 * `env`, else from the `.env` in the file's folder. Throws ConfigError with every problem of the file, and of
 * those, at once.
 */
export function loadConfig(file: string, env: Env = process.env): Config {
  return load(file, env, true).config;
}

/** A CSV file of packages that cannot be used, and its first problem, which begins with its name. */
type UnusableFile = { account: string; problem: string };

/** Like `loadConfig`, but an account whose CSV file cannot be used has no packages. */
export function loadConfigWithoutFiles(file: string): { config: Config; unusable: UnusableFile[] } {
  return load(file, process.env, false);
}

/**
 * The live file of a config that may have problems: the default where it names none that can be found. Throws
 * ConfigError where the file cannot be read.
 */
export function findWarehouse(file: string): string {
  const { value } = parseSource(readText(file), (name) => process.env[name]);
  const named = (value as { warehouse?: unknown } | null | undefined)?.warehouse; // no shape is known of it
  return resolve(dirname(file), typeof named === 'string' ? named : DEFAULT_FILES.warehouse);
}

function load(file: string, env: Env, areFilesRead: boolean) {
  const path = resolve(file);
  const toAbsolute = (relative: string) => resolve(dirname(path), relative);
  const source = parseSource(readText(file), createLookup(dirname(path), env));
  const settings = check(file, source, toAbsolute, areFilesRead);
  const proxies = readProxies(env);
  const { publish, backup } = settings;
  return rereadPackages({
    ...settings,
    file: path,
    warehouse: toAbsolute(settings.warehouse),
    accounts: settings.accounts.map((account) => ({
      ...account,
      packagesFile: account.packagesFile && toAbsolute(account.packagesFile),
      ca: account.ca && readAuthorities(toAbsolute(account.ca.file), env),
    })),
    publish: publish && {
      ...publish,
      file: toAbsolute(publish.file),
      targets: publish.targets.map((target) => completeTarget(target, commandsFor(file), toAbsolute)),
    },
    backup: backup && { ...backup, folder: toAbsolute(backup.folder) },
    proxies,
    secrets: listSecrets(settings, proxies),
  });
}

function readText(file: string): string {
  const text = readIfExists(file);
  if (text === null)
    throw new ConfigError(`${file} does not exist`, { hint: [{ command: 'init' }, ' writes one'] });
  return text;
}

/** Throws ConfigError with all problems. */
function check(file: string, source: Source, toAbsolute: ToAbsolute, areFilesRead: boolean): Settings {
  const parsed = source.value === undefined ? null : configSchema.safeParse(source.value);
  const found = [
    ...toProblems(parsed?.error?.issues ?? [], source),
    ...findCrossFieldProblems(source, toAbsolute, areFilesRead),
  ].filter(({ path }) => !source.isReported(path));
  const problems = [...source.problems, ...found];
  if (parsed?.success && problems.length === 0) return parsed.data;
  throw new ConfigError(formatProblems(file, problems));
}

/**
 * The config with the packages that its CSV files have now, and the files that cannot be used: their accounts
 * keep the packages that they have. The same config where nothing changed.
 */
export function rereadPackages(config: Config): { config: Config; unusable: UnusableFile[] } {
  const unusable: UnusableFile[] = [];
  const accounts = config.accounts.map((account) => {
    const { name, packagesFile, packages } = account;
    if (packagesFile === null) return account;
    const read = readPackagesFile(packagesFile, config.secrets);
    if ('problems' in read) unusable.push({ account: name, problem: read.problems[0] ?? '' });
    const isSame = 'problems' in read || JSON.stringify(read.packages) === JSON.stringify(packages);
    return isSame ? account : { ...account, packages: read.packages };
  });
  const isSame = accounts.every((account, index) => account === config.accounts[index]);
  return { config: freeze(isSame ? config : { ...config, accounts }), unusable };
}

/**
 * The proxies of the environment, under the names that curl and others read: in small letters first. Throws
 * ConfigError for an address that is not one of a proxy, and for an exception that is not understood.
 */
function readProxies(env: Env): Proxies {
  const read = (name: string) => (env[name.toLowerCase()]?.trim() || env[name]?.trim()) ?? '';
  const readAddress = (name: string) => {
    const value = read(name);
    const url = value === '' || value.includes('://') ? value : `http://${value}`;
    if (url === '' || isProxyAddress(url)) return url;
    const shown = value.includes('@') ? '[hidden]' : JSON.stringify(value);
    throw new ConfigError(`${name} in the environment: ${shown} is not the address of an HTTP proxy`, {
      hint: `${name}=http://proxy.example.test:3128; or unset it`,
    });
  };
  const httpProxy = readAddress('HTTP_PROXY');
  const httpsProxy = readAddress('HTTPS_PROXY') || httpProxy;
  const noProxy = read('NO_PROXY');
  const unknown = httpsProxy === '' ? undefined : findUnknownException(noProxy);
  if (unknown === undefined) return { httpProxy, httpsProxy, noProxy };
  throw new ConfigError(`NO_PROXY in the environment: ${JSON.stringify(unknown)} is not understood`, {
    hint: 'expected host names, addresses, ranges such as 10.0.0.0/8 or 10.*, or *; with commas between them',
  });
}

function listSecrets(settings: Settings, { httpProxy, httpsProxy }: Proxies): string[] {
  const { accounts, server, notify, publish } = settings;
  const keys = accounts.flatMap(({ videoList, storage }) => [videoList.key, storage?.key]);
  const proxies = [...accounts.map(({ proxy }) => proxy), httpProxy, httpsProxy];
  const passwords = proxies.flatMap((address) => listProxySecrets(address ?? ''));
  const addresses = [notify?.webhook, ...Object.values(notify?.ping ?? {})];
  const logins = (publish?.targets ?? []).flatMap(listTargetSecrets);
  const all = [...keys, ...passwords, ...(server?.keys ?? []), ...addresses, ...logins];
  return [...new Set(all.flatMap((secret) => secret ?? []))];
}

function freeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value) as unknown[]) {
    if (typeof inner === 'object' && inner !== null) freeze(inner);
  }
  return Object.freeze(value);
}
