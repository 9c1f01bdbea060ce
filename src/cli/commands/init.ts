import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFIG_TEMPLATE, configJsonSchema } from '../../config/template.ts';
import { makeFolder } from '../../database/make-folder.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { commandsFor } from '../../health/commands.ts';
import type { ConfigOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { asTyped, formatJson } from '../output/output.ts';

/** `vodhouse init`: writes a commented config and its JSON schema into a folder that it makes if there is none; overwrites neither. Returns the exit code. */
export async function init({ config }: ConfigOptions): Promise<number> {
  const schema = join(dirname(config), 'vodhouse.schema.json');
  for (const file of [config, schema]) {
    if (!existsSync(file)) continue;
    throw new ConfigError(`${file} already exists; nothing was written`, {
      hint: 'move it away, or write elsewhere: vodhouse init --config other/vodhouse.yaml',
    });
  }
  writeNewFile(config, CONFIG_TEMPLATE);
  writeNewFile(schema, formatJson(configJsonSchema()));
  const formatCommand = commandsFor(config);
  const lines = [
    `wrote ${config} and ${schema}`,
    '',
    'next:',
    `  1. edit ${config}: base_url, packages, timezone`,
    '  2. echo "VODHOUSE_KEY=<your API key>" >> .env       (in the folder of the config)',
    `  3. ${asTyped(formatCommand('check'))}`,
    `  4. ${asTyped(formatCommand('sync'))}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

function writeNewFile(file: string, text: string): void {
  try {
    makeFolder(dirname(file), { file });
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw new ConfigError(`cannot write ${file}: ${errorMessage(error)}`, { cause: error });
  }
}
