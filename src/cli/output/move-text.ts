/** What a person does after `vodhouse move`. */
import { formatUnits } from '../../app/move-checks.ts';
import type { Config } from '../../config/config.ts';
import { commandsFor } from '../../health/commands.ts';
import { displayPath } from './output.ts';

interface Moved {
  config: Pick<Config, 'file' | 'warehouse' | 'durationUnit' | 'timezone'>;
  account: string;
  /** The other live file. */
  path: string;
  /** The config that used the other file last; null if none did, or it is not known. */
  otherConfig: string | null;
  /** It was the last account of the first worker: a config without accounts is not valid. */
  isLast: boolean;
}

/** The steps after a move, a line each. */
export function nextSteps({ config, account, path, otherConfig, isLast }: Moved): string {
  const other =
    otherConfig === null ? `the config of its worker (\`warehouse: ${path}\`)` : displayPath(otherConfig);
  const publish = otherConfig === null ? 'vodhouse publish' : commandsFor(otherConfig)('publish');
  const item = `\`- name: ${account}\``;
  const from = displayPath(config.file);
  const units = `     that config must have ${formatUnits(config)}, as this one`;
  const env = 'as it was, with its ${…} in the .env there';
  const steps = isLast
    ? [
        `  1. put ${item} with its keys from ${from} into ${other}, ${env}`,
        units,
        `  2. start the second worker; there: ${publish}`,
        `  3. this worker has no account left: do not start it again, delete ${from},`,
        `     and keep or delete ${displayPath(config.warehouse)}, which has only its runs`,
      ]
    : [
        `  1. take ${item} with its keys out of ${from}`,
        `  2. put it into ${other}, ${env}`,
        units,
        `  3. start both workers; at the second one: ${publish}`,
      ];
  return ['Now, before either worker is started:', ...steps, ''].join('\n');
}
