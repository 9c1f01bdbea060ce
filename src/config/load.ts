import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { errorCode, ConfigError, errorMessage } from '../lib/errors.ts';
import { configSchema, type Config } from './config.ts';
import { findCrossFieldProblems } from './cross-field-checks.ts';
import { createLookup } from './env-vars.ts';
import { parseYaml, type Source } from './parse-yaml.ts';
import { formatProblems, toProblems, type Problem } from './problems.ts';

type Settings = z.output<typeof configSchema>;

/**
 * Reads, checks and freezes the config. Variables come from `env`, else from the `.env` in the file's folder. Throws
 * ConfigError with every problem of the file at once.
 */
export function loadConfig(
  file: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  now: number = Date.now(),
): Config {
  const path = resolve(file);
  const source = parseYaml(readText(file), createLookup(dirname(path), env));
  const checked = check(source, now);
  if ('problems' in checked) throw new ConfigError(formatProblems(file, checked.problems));
  const { settings } = checked;
  const { publish } = settings;
  const toAbsolute = (relative: string) => resolve(dirname(path), relative);
  return freeze({
    ...settings,
    file: path,
    warehouse: toAbsolute(settings.warehouse),
    publish: publish && { ...publish, file: toAbsolute(publish.file) },
    secrets: listSecrets(settings),
  });
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

function check(source: Source, now: number): { settings: Settings } | { problems: readonly Problem[] } {
  if (source.value === undefined) return { problems: source.problems };
  const { sourceMap } = source;
  const parsed = configSchema.safeParse(source.value);
  const found = [
    ...toProblems(parsed.error?.issues ?? [], sourceMap),
    ...findCrossFieldProblems(source.value, sourceMap, now),
  ].filter(({ path }) => sourceMap.at(path)?.alreadyReported !== true);
  const problems = [...source.problems, ...found];
  return parsed.success && problems.length === 0 ? { settings: parsed.data } : { problems };
}

function listSecrets({ accounts, server, notify }: Settings): string[] {
  const keys = accounts.flatMap(({ videoList, storage }) => [videoList.key, storage?.key]);
  const all = [...keys, ...(server?.keys ?? []), notify?.webhook, notify?.ping];
  return [...new Set(all.flatMap((secret) => secret ?? []))];
}

function freeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value) as unknown[]) {
    if (typeof inner === 'object' && inner !== null) freeze(inner);
  }
  return Object.freeze(value);
}
