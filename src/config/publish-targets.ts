/** The config of targets: places besides the published file that get the same tables. */
import * as z from 'zod';
import { DAY_MS } from '../lib/clock.ts';
import { listLakeSecrets, type LakePlace } from '../publishing/targets/stores/lake-place.ts';
import {
  isLocalAddress,
  listPostgresSecrets,
  parsePostgresUrl,
} from '../publishing/targets/postgres/postgres-url.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { readCertificates } from './certificates.ts';
import { orNull, section, withDefault } from './sections.ts';
import * as types from './value-types.ts';

const SSL_MODES = ['verify-full', 'no-verify', 'off'] as const;

const postgresUrl = z.string('postgres://USER:PASSWORD@HOST:5432/DATABASE').superRefine((value, context) => {
  const parsed = parsePostgresUrl(value);
  if ('expected' in parsed) context.addIssue({ code: 'custom', message: parsed.expected, input: value });
});

const common = {
  name: types.accountName.describe('Its unique name in messages, metrics and on the command line.'),
  every: orNull(types.durationOrZero).describe(
    'Least time between two loads; 0: after each publication that changed something. Default: 0; 24h for a lake.',
  ),
  load_timeout: withDefault(types.wait, '30m', 'How long one load of an account may take.'),
};

const postgres = section(
  {
    ...common,
    postgres: postgresUrl.describe(
      'A PostgreSQL database: postgres://USER:PASSWORD@HOST:5432/DATABASE, as ${NAME}. Default: none; each target has exactly one of postgres, folder and s3.',
    ),
    schema: withDefault(types.schemaName, 'vodhouse', 'Schema of the tables; made where it is missing.'),
    ssl: orNull(z.enum(SSL_MODES, SSL_MODES.join(', '))).describe(
      'verify-full: TLS that checks certificate and name; no-verify: TLS without checks; off: no TLS. Default: verify-full; off for this machine.',
    ),
    ca: orNull(types.filePath).describe(
      'PEM file with certificates of trusted authorities. Default: those of Node.',
    ),
    readers: withDefault(
      z.array(types.roleName, 'a list of roles'),
      [],
      'Roles that are granted USAGE and SELECT.',
    ),
    lock_timeout: withDefault(types.wait, '10s', 'How long a load waits for a lock of another session.'),
  },
  'load_timeout',
  'lock_timeout',
).transform(({ postgres: url, ssl, ca, every, ...settings }) => {
  const parsed = parsePostgresUrl(url);
  const isLocal = ca === null && 'address' in parsed && isLocalAddress(parsed.address);
  return {
    ...settings,
    kind: 'postgres' as const,
    /** The command that publishes to it, for hints; `loadConfig` sets it, as it completes paths and `ca`. */
    command: '',
    postgres: url,
    ssl: ssl ?? (isLocal ? ('off' as const) : ('verify-full' as const)),
    /** Certificates in PEM. */
    ca: ca === null ? null : { file: ca, certificates: [] as string[] },
    everyMs: every ?? 0,
  };
});

const lake = {
  ...common,
  keep: withDefault(
    types.keepTime,
    '7d',
    'How long replaced files of a lake stay, for queries under way and older versions; at least 1h.',
  ),
};

const folder = section(
  {
    ...lake,
    folder: types.lakeFolder.describe(
      'A lake of Delta tables: its folder, which must exist; best below the mount point of its disk. Default: none.',
    ),
  },
  'load_timeout',
  'keep',
).transform(({ folder: path, every, ...settings }) => ({
  ...settings,
  kind: 'lake' as const,
  command: '',
  place: { kind: 'folder', path } as LakePlace,
  everyMs: every ?? DAY_MS,
}));

const s3 = section(
  {
    ...lake,
    s3: types.s3Place.describe(
      'A lake in a bucket of an S3-compatible store: s3://BUCKET/PREFIX. Default: none.',
    ),
    endpoint: orNull(types.endpoint).describe(
      'Address of the store, such as https://s3.example.test:9000. Default: AWS in the region.',
    ),
    region: withDefault(types.region, 'us-east-1', 'Region of the bucket, such as eu-central-1.'),
    access_key_id: types.headerKey.describe('Id of the access key, as ${NAME}. Required with s3.'),
    secret_access_key: types.key.describe('The secret access key, as ${NAME}. Required with s3.'),
    session_token: orNull(types.headerKey).describe(
      'Token of temporary credentials; the worker takes a new one at kill -HUP. Default: none.',
    ),
  },
  'load_timeout',
  'keep',
).transform(({ name, s3: place, every, keepMs, loadTimeoutMs, ...store }) => ({
  kind: 'lake' as const,
  name,
  keepMs,
  loadTimeoutMs,
  everyMs: every ?? DAY_MS,
  command: '',
  place: { kind: 's3', bucket: '', prefix: '', ...types.parseS3Place(place), ...store } as LakePlace,
}));

const PLACES = 'a mapping with one of postgres, folder and s3';
const target = z.union([postgres, folder, s3], PLACES);

/** `publish.targets`. */
export const targets = z.array(target, 'a list of targets');

type Target = z.output<typeof target>;

/** The logins of a target: none of them may ever be printed. */
export const listTargetSecrets = (settings: Target): string[] =>
  settings.kind === 'lake' ? listLakeSecrets(settings.place) : listPostgresSecrets(settings.postgres);

/**
 * The target with its command, absolute paths, and the certificates of its file, which are the only
 * authorities that it trusts.
 */
export function completeTarget(
  settings: Target,
  formatCommand: FormatCommand,
  toAbsolute: (path: string) => string,
): Target {
  const command = formatCommand(`publish --target ${settings.name}`);
  if (settings.kind === 'lake') {
    const { place } = settings;
    const isFolder = place.kind === 'folder';
    return { ...settings, command, place: isFolder ? { ...place, path: toAbsolute(place.path) } : place };
  }
  const file = settings.ca && toAbsolute(settings.ca.file);
  const ca = file === null ? null : { file, certificates: readCertificates(file).certificates };
  return { ...settings, command, ca };
}
