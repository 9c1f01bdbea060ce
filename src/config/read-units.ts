/** What a config says of the units of its warehouse, where the rest of it may not be usable here. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DEFAULT_FILES, type Config } from './config.ts';
import { createLookup } from './env-vars.ts';
import { parseYaml } from './parse-yaml.ts';

/** The keys that decide what numbers and days of a warehouse mean. */
export type Units = Pick<Config, 'warehouse' | 'timezone' | 'durationUnit'>;

/** Reads them alone: variables of another worker may be missing here. Null where the file does not say all of them plainly. */
export function readUnits(file: string): Units | null {
  const folder = dirname(file);
  const written = readKeys(file, folder);
  if (written === null) return null;
  const { warehouse = DEFAULT_FILES.warehouse, timezone, duration_unit: durationUnit = 'ms' } = written;
  if (typeof warehouse !== 'string' || typeof timezone !== 'string') return null;
  if (durationUnit !== 'ms' && durationUnit !== 's') return null;
  return { warehouse: resolve(folder, warehouse), timezone, durationUnit };
}

function readKeys(file: string, folder: string): Readonly<Record<string, unknown>> | null {
  try {
    const { value } = parseYaml(readFileSync(file, 'utf8'), createLookup(folder, {}));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // it is on another machine, or of a user whose files cannot be read
  }
}
