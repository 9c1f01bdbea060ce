import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type * as z from 'zod';
import { errorCode, ConfigError, errorMessage } from '../lib/errors.ts';
import { configSchema, type Config } from './config.ts';
import { readAuthorities } from './certificates.ts';
import { findCrossFieldProblems } from './cross-field-checks.ts';
import { createLookup } from './env-vars.ts';
import { readEnvironmentProxies } from './environment-proxies.ts';
import { listProxySecrets, NO_PROXIES, type Proxies } from '../lib/http/proxies.ts';
import { parseYaml, type Source } from './parse-yaml.ts';
import { readPackagesFile, type PackagesFile } from './packages-file.ts';
import { formatProblems, toProblems, type Problem } from './problems.ts';
import { listTargetSecrets, withFiles } from './publish-targets.ts';
import type { SourceMap } from './source-map.ts';
import { filePath } from './value-types.ts';

type Settings = z.output<typeof configSchema>;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads, checks and freezes the config, with the packages that its CSV files have now. Variables come from `env`, else from
 * the `.env` in the file's folder. Throws ConfigError with every problem of the file, and of those, at once.
 */
export function loadConfig(file: string, env: Env = process.env, now: number = Date.now()): Config {
  return load(file, env, now).config;
}

/** A CSV file of packages that cannot be used. */
export interface UnusableFile {
  account: string;
  /** The first problem; it begins with the name of the file. */
  problem: string;
}

/** Like `loadConfig`, but an account whose CSV file cannot be used has no packages. */
export function loadConfigWithoutFiles(file: string): { config: Config; unusable: UnusableFile[] } {
  return load(file, process.env, Date.now(), 'without unusable files');
}

function load(file: string, env: Env, now: number, mode: 'strict' | 'without unusable files' = 'strict') {
  const path = resolve(file);
  const folder = dirname(path);
  const source = parseYaml(readText(file), createLookup(folder, env));
  const toAbsolute = (relative: string) => resolve(folder, relative);
  const checked = check(source, { now, toAbsolute });
  const files = readPackageFiles(source, folder);
  const fileProblems = mode === 'strict' ? listFileProblems(files, source.sourceMap) : [];
  if ('problems' in checked || fileProblems.length > 0) {
    const problems = 'problems' in checked ? checked.problems : [];
    throw new ConfigError(formatProblems(file, [...problems, ...fileProblems]));
  }
  const { settings } = checked;
  const proxies = readProxies(settings, env);
  const { publish, backup } = settings;
  const config = freeze({
    ...settings,
    file: path,
    warehouse: toAbsolute(settings.warehouse),
    accounts: settings.accounts.map((account, index) => ({
      ...withPackages(account, files.get(index), toAbsolute),
      ca: account.ca && readAuthorities(toAbsolute(account.ca.file), env),
    })),
    publish: publish && {
      ...publish,
      file: toAbsolute(publish.file),
      targets: publish.targets.map((target) => withFiles(target, toAbsolute)),
    },
    backup: backup && { ...backup, folder: toAbsolute(backup.folder) },
    proxies,
    secrets: listSecrets(settings, proxies),
  });
  const unusable = settings.accounts.flatMap(({ name }, index) => {
    const read = files.get(index);
    return read && 'problems' in read ? { account: name, problem: read.problems[0] ?? '' } : [];
  });
  return { config, unusable };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      throw new ConfigError(`${file} does not exist`, { hint: 'vodhouse init writes one', cause: error });
    }
    throw new ConfigError(`${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function check(
  source: Source,
  surroundings: Parameters<typeof findCrossFieldProblems>[2],
): { settings: Settings } | { problems: readonly Problem[] } {
  if (source.value === undefined) return { problems: source.problems };
  const { sourceMap } = source;
  const parsed = configSchema.safeParse(source.value);
  const found = [
    ...toProblems(parsed.error?.issues ?? [], sourceMap),
    ...findCrossFieldProblems(source.value, sourceMap, surroundings),
  ].filter(({ path }) => sourceMap.at(path)?.alreadyReported !== true);
  const problems = [...source.problems, ...found];
  return parsed.success && problems.length === 0 ? { settings: parsed.data } : { problems };
}

const fileOf = (index: number) => ['accounts', index, 'packages', 'file'];

/** The packages in CSV files, by the index of their account. Takes the config as it is written, valid or not. */
function readPackageFiles({ value, sourceMap }: Source, folder: string): Map<number, PackagesFile> {
  const { accounts } = (value ?? {}) as { accounts?: unknown };
  const files = (Array.isArray(accounts) ? accounts : []).flatMap((account: unknown, index) => {
    const { packages } = (account ?? {}) as { packages?: { file?: unknown } | null };
    const file = packages?.file;
    const isUsable =
      filePath.safeParse(file).success && sourceMap.at(fileOf(index))?.alreadyReported !== true;
    return isUsable
      ? [[index, readPackagesFile(resolve(folder, String(file)), sourceMap.secrets())] as const]
      : [];
  });
  return new Map(files);
}

function listFileProblems(files: ReadonlyMap<number, PackagesFile>, sourceMap: SourceMap): Problem[] {
  return [...files].flatMap(([index, read]) => {
    const path = fileOf(index);
    const problems = 'problems' in read ? read.problems : [];
    return problems.map((message) => ({ path, line: sourceMap.lineOf(path), message }));
  });
}

function withPackages(
  account: Settings['accounts'][number],
  read: PackagesFile | undefined,
  toAbsolute: (path: string) => string,
): Settings['accounts'][number] {
  const { packages, packagesFile } = account;
  if (packagesFile === null) return account;
  return {
    ...account,
    packages: read && 'packages' in read ? read.packages : packages,
    packagesFile: toAbsolute(packagesFile),
  };
}

/**
 * The config with the packages that its CSV files have now, and the files that cannot be used: their accounts keep the
 * packages that they have. The same config where nothing changed.
 */
export function rereadPackages(config: Config): { config: Config; unusable: UnusableFile[] } {
  const unusable: UnusableFile[] = [];
  const accounts = config.accounts.map((account) => {
    const { name, packagesFile, packages } = account;
    if (packagesFile === null) return account;
    const read = readPackagesFile(packagesFile, config.secrets);
    if ('problems' in read) unusable.push({ account: name, problem: read.problems[0] ?? '' });
    const isSame = 'problems' in read || JSON.stringify(read.packages) === JSON.stringify(packages);
    return isSame ? account : freeze({ ...account, packages: read.packages });
  });
  const isSame = accounts.every((account, index) => account === config.accounts[index]);
  return {
    config: isSame ? config : Object.freeze({ ...config, accounts: Object.freeze(accounts) }),
    unusable,
  };
}

/** An unusable proxy in the environment is no problem where nothing may take it. */
function readProxies({ accounts, notify }: Settings, env: Env): Proxies {
  const areTaken = notify !== null || accounts.some(({ proxy }) => proxy === null);
  try {
    return readEnvironmentProxies(env);
  } catch (error) {
    if (areTaken) throw error;
    return NO_PROXIES;
  }
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
