import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configJsonSchema } from '../../config/json-schema.ts';
import { configTemplate } from '../../config/template.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { EXIT } from '../exit.ts';
import type { ConfigOptions } from '../command-context.ts';
import { commandsFor } from '../../health/commands.ts';

/** `vodhouse init`: writes a commented config and its JSON schema; overwrites neither. Gives the exit code. */
export async function init(options: ConfigOptions): Promise<number> {
  const config = options.config;
  const schema = join(dirname(config), 'vodhouse.schema.json');
  for (const file of [config, schema]) {
    if (!existsSync(file)) continue;
    throw new ConfigError(`${file} is there already; nothing was written`, {
      hint: 'move it away, or write elsewhere: vodhouse init --config other/vodhouse.yaml',
    });
  }
  write(config, configTemplate());
  write(schema, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  process.stdout.write(`wrote ${config} and ${schema}\n\n${nextSteps(config)}`);
  return EXIT.done;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw new ConfigError(`cannot write ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

function nextSteps(config: string): string {
  const typed = commandsFor(config);
  return [
    'next:',
    `  1. edit ${config}: base_url, packages, timezone`,
    '  2. echo "VODHOUSE_KEY=<your API key>" >> .env       (beside the config)',
    `  3. npx ${typed('check')}`,
    `  4. npx ${typed('sync')}`,
    '',
  ].join('\n');
}
