import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_FILES } from '../../config/config.ts';
import { CONFIG_TEMPLATE, configJsonSchema } from '../../config/template.ts';
import { FOR_ALL, FOR_OWNER, makeFolder } from '../../database/files.ts';
// It throws in a Node without SQLite, before anything is written: no other command would work there.
import '../../database/sqlite.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import type { ConfigOptions } from '../command-context.ts';
import { asTyped } from '../output/output.ts';

/**
 * `vodhouse init`: writes a config, its JSON schema and an empty `.env` into a folder that it makes if there
 * is none. It overwrites no file.
 */
export async function init({ config }: ConfigOptions): Promise<void> {
  const schema = join(dirname(config), 'vodhouse.schema.json');
  for (const file of [config, schema]) {
    if (!existsSync(file)) continue;
    throw new ConfigError(`${file} already exists; nothing was written`, {
      hint: 'move it away, or write elsewhere: vodhouse init --config other/vodhouse.yaml',
    });
  }
  writeNewFile(config, CONFIG_TEMPLATE);
  writeNewFile(schema, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  const formatCommand = commandsFor(config);
  const env = join(dirname(config), '.env');
  const isNew = !existsSync(env);
  if (isNew) writeNewFile(env, '', 0o600);
  makeFolder(join(dirname(config), dirname(DEFAULT_FILES.warehouse)), FOR_OWNER);
  const lines = [
    `wrote ${isNew ? `${config}, ${schema} and ${env}` : `${config} and ${schema}`}`,
    '',
    'next:',
    `  1. edit ${config}: base_url, packages, timezone`,
    `  2. edit ${env}: VODHOUSE_KEY=<your API key>`,
    `  3. ${asTyped(formatCommand('check'))}`,
    `  4. ${asTyped(formatCommand('sync'))}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function writeNewFile(file: string, text: string, mode?: number): void {
  try {
    makeFolder(dirname(file), FOR_ALL, file);
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    throw new ConfigError(`cannot write ${file}: ${errorMessage(error)}`, { cause: error });
  }
}
