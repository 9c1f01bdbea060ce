import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError, errorMessage } from '../lib/errors.ts';
import { crossChecks } from './cross-field-checks.ts';
import type { Config } from './config.ts';
import { findProblems } from './zod-problems.ts';
import { type Problem, formatProblems } from './format-problems.ts';
import { toConfig } from './to-config.ts';
import { settingsSchema, type Settings } from './schema.ts';
import { parseYaml, type Source } from './parse-yaml.ts';
import { createLookup } from './env-vars.ts';

/**
 * Reads, checks and freezes the config. `file` is relative to the working folder; variables come from `env` and,
 * behind it, from the `.env` beside the file. Throws ConfigError with every problem of the file at once.
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
  return toConfig(path, checked.settings);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new ConfigError(`${file} does not exist`, { hint: 'vodhouse init writes one', cause: error });
    }
    throw new ConfigError(`${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function check(source: Source, now: number): { settings: Settings } | { problems: readonly Problem[] } {
  if (source.value === undefined) return { problems: source.problems };
  const { places } = source;
  const parsed = settingsSchema.safeParse(source.value);
  const findings = [
    ...findProblems(parsed.error?.issues ?? [], places),
    ...crossChecks(source.value, places, now),
  ].filter(({ path }) => places.at(path)?.settled !== true);
  const problems = [
    ...source.problems,
    ...findings.map((finding): Problem => ({ line: places.lineOf(finding.path), ...finding })),
  ];
  return parsed.success && problems.length === 0 ? { settings: parsed.data } : { problems };
}
