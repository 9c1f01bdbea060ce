/** What `vodhouse init` writes: a config file with comments, and its JSON schema. */
import * as z from 'zod';
import { configSchema } from './config.ts';

/** The `vodhouse.yaml` that `vodhouse init` writes. Lines that begin with `#` and a key show defaults. */
export const CONFIG_TEMPLATE = `# yaml-language-server: $schema=./vodhouse.schema.json

# Lines that begin with # and a key show defaults; remove the # to change one.
# \${NAME} is replaced by an environment variable, or by a line of the file .env in this folder.
# \${file:/run/secrets/key} is replaced by the content of that file.

warehouse: data/vodhouse.db     # the SQLite file, relative to this one
timezone: Asia/Seoul            # IANA zone of the service's calendar: where its days begin
#duration_unit: ms              # what the length of a video is counted in: ms or s
#worker: eu-1                   # its name, where several load one target; without it, the host's

accounts:
  - name: main                  # its name in tables, logs and on the command line
    video_list:
      base_url: https://videos.example.test
      key: \${VODHOUSE_KEY}      # put VODHOUSE_KEY=… into .env
      #page_size: 1000          # videos to request per page
    storage:                    # leave out for an account without statistics
      base_url: https://reports.example.test
      #auth: none               # or query (?key=…), or { header: x-api-key }
      #since: 2026-01-01        # first day to book; without it, yesterday
      #settle: 1h               # time after midnight before a day is booked
      #recheck_days: 3          # booked days that are compared again each day
      #give_up_days: 7          # separate days on which a missing day is requested
      #optional: []             # figures that a record may lack and still be booked
      #plausible_factor: 2      # a total further from the last reading waits for a second
    #proxy: none                # or http://NAME:PASSWORD@HOST:PORT; without it, as HTTPS_PROXY says
    #ca: own-ca.pem             # certificates (PEM) of authorities that are trusted too
    #was: old-name              # its former name: all its rows get the new one, once
    packages: [101, { id: 102, name: Lectures }] # or { file: packages.csv }: id,name on each line
    limits:                     # requests with this key; null switches a window off
      per_second: 5
      per_minute: 120
      per_day: 20000
      #concurrency: 4           # packages at a time
      #max_wait: 2m             # a longer wait for the budget parks the run
      #restricted_codes: []     # errorCode values that mean "restricted": the account is paused
      #final_codes: []          # errorCode values that mean "do not retry"

schedule:
  #timezone: Asia/Seoul         # the zone in which these are read; without it, timezone above
  full: "0 * * * *"             # when to walk everything: cron, or @hourly and its kind
  quick: "*/10 * * * *"         # when to find new and removed videos only; leave out for never

publish:                        # the file for readers; leave out for none
  file: published/vodhouse.bi.db # relative to this one; rebuilt after a run that changed something
  #exclude: [access_key, org_access_key] # fields of a video left out of it
  #every: 0                     # at most once in this time; 0: after each such run
  #targets:                     # databases and lakes that get the same tables; leave out for none
  #  - name: warehouse          # on the command line and in metrics
  #    postgres: \${VODHOUSE_PG_URL} # postgres://USER:PASSWORD@HOST:5432/DATABASE, in .env
  #    schema: vodhouse         # made where it is missing
  #    ssl: verify-full         # or no-verify, off; without it, off on this machine only
  #    ca: pg-ca.pem            # authorities (PEM) of its certificate; without it, those of Node
  #    readers: []              # roles that may read the tables
  #    every: 0                 # at most one load in this time; 0: after each publication
  #    lock_timeout: 10s        # how long a load waits for a lock of another session
  #    load_timeout: 30m        # how long one load of an account may take
  #  - name: lake               # Delta tables, for ClickHouse, DuckDB, Spark and others
  #    folder: /srv/lake        # must be there: mkdir -p /srv/lake
  #    every: 24h               # at most one load in this time
  #    keep: 7d                 # how long replaced files stay, for queries and older versions
  #  - name: bucket             # the same in an S3-compatible store
  #    s3: s3://my-bucket/lake  # bucket and prefix
  #    region: eu-central-1     # without it, us-east-1 with an endpoint
  #    endpoint: https://s3.example.test:9000 # without it, AWS
  #    access_key_id: \${VODHOUSE_S3_KEY_ID}
  #    secret_access_key: \${VODHOUSE_S3_SECRET}
  #    session_token: \${VODHOUSE_S3_TOKEN} # of temporary credentials only

server:                         # answers as the service does, from the file; leave out for none
  port: 8320
  #host: 127.0.0.1             # another address needs keys
  #keys: []                    # 16 characters or more: ?key=…, Authorization: Bearer …, x-api-key
  #title: Videos               # in the header and in the tab; without it, this machine and the file
  #trust_proxy: false          # behind a proxy: true, or its addresses; its X-Forwarded-For counts

#notify:                        # where alerts are sent; better \${NAME} than the addresses
#  webhook: https://hooks.example.test/a/b # gets a POST when a problem begins and when it ends
#  ping: https://ping.example.test/a       # after each good run; or { success, start, failure }
#  events: [failed, stale, restricted] # what is reported (docs/alerts.md); left out: everything
#  remind_after: 1d             # a problem that lasts is reported again after this; null: never

#walk:
#  removal_brake: 0.2           # share of a package that one walk may remove without confirmation
#  resume_within: 7d            # age up to which an interrupted walk is resumed
#  boundary_reads: 0.05         # requests for the gaps between pages, as a share of the pages

#backup:                        # backups that the worker makes; leave out for none
#  schedule: "30 2 * * *"       # when, read in schedule.timezone
#  folder: data/backups         # relative to this one; better on another disk
#  keep: 7                      # backups to keep; older ones are deleted

#retention:
#  requests_days: 35            # how long requests are kept
#  runs_days: 90                # and runs and walks
`;

/**
 * The JSON schema (draft 7) of `vodhouse.yaml`, for editors: every key with its meaning, unit and default.
 * It takes the file as it is written, so any text may hold a `${NAME}`.
 */
export function configJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      // zod's default limit of integers: of no use in an editor
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { $schema, title: 'vodhouse.yaml', description: 'The config of vodhouse.', ...schema };
}
