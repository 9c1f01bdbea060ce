/** What `vodhouse init` writes: a config file to begin with, and its JSON schema. */
import * as z from 'zod';
import { configSchema } from './config.ts';

/**
 * The `vodhouse.yaml` that `vodhouse init` writes: what nearly everybody needs, and where the other keys are.
 */
export const CONFIG_TEMPLATE = `# yaml-language-server: $schema=./vodhouse.schema.json
# All keys: https://github.com/vodhouse/vodhouse/blob/main/docs/config.md
# \${NAME} is replaced by an environment variable, or by a line of the file .env in this folder.

timezone: Asia/Seoul            # IANA zone of the service's calendar: where its days begin
accounts:
  - name: main                  # its name in tables, logs and on the command line
    video_list:
      base_url: https://videos.example.test
      key: \${VODHOUSE_KEY}      # put VODHOUSE_KEY=… into .env
    storage:                    # leave out for an account without statistics
      base_url: https://reports.example.test
      # since: 2026-01-01       # the first day to ask for; without it, yesterday at the first run
    packages: [101, { id: 102, name: Lectures }] # or { file: packages.csv }
    limits: { per_second: 5, per_minute: 120, per_day: 20000 } # requests with this key

schedule:
  full: "0 * * * *"             # when to walk everything: cron, or @hourly and its kind
  quick: "*/10 * * * *"         # when to find new and removed videos only; leave out for never
publish: {}                     # a file for readers, published/vodhouse.bi.db; leave out for none
server: { port: 8320 }          # pages and the API of the service; leave out for none
`;

/**
 * The JSON schema (draft 7) of `vodhouse.yaml`, for editors: every key with its meaning, unit and default.
 * It takes the file as it is written, so any text may hold a `${NAME}`.
 */
export function configJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
  });
  return { $schema, title: 'vodhouse.yaml', description: 'The config of vodhouse.', ...schema };
}
