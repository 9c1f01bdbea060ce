/** The config of targets: places besides the published file that get the same tables. */
import { z } from 'zod';
import { DAY_MS } from '../lib/clock.ts';
import { listLakeSecrets, type LakePlace } from '../lib/lake-place.ts';
import { isLocalAddress, listPostgresSecrets, parsePostgresUrl } from '../lib/postgres-url.ts';
import { readCertificates } from './certificates.ts';
import { orNull, section, withDefault } from './sections.ts';
import {
  accountName,
  durationOrZero,
  endpoint,
  filePath,
  keepTime,
  key,
  lakeFolder,
  parseS3Place,
  region,
  roleName,
  s3Place,
  schemaName,
  wait,
} from './value-types.ts';

const SSL_MODES = ['verify-full', 'no-verify', 'off'] as const;

const postgresUrl = z.string('postgres://USER:PASSWORD@HOST:5432/DATABASE').superRefine((value, context) => {
  const parsed = parsePostgresUrl(value);
  if ('expected' in parsed) context.addIssue({ code: 'custom', message: parsed.expected, input: value });
});

/** The keys that only one kind of target has. `target-checks.ts` refuses them at another one. */
export const KEYS_OF_KINDS = {
  postgres: ['schema', 'ssl', 'ca', 'readers', 'lock_timeout'],
  s3: ['endpoint', 'region', 'access_key_id', 'secret_access_key', 'session_token'],
  lake: ['keep'],
} as const;

/** The keys that say where a target is: each has exactly one of them. */
export const PLACES = ['postgres', 'folder', 's3'] as const;

const common = {
  name: accountName.describe('Name of the target in messages, metrics and on the command line; unique.'),
  every: durationOrZero
    .optional()
    .describe(
      'At most one load in this time; 0: after each publication that changed something. Default: 0; 24h for a lake.',
    ),
  load_timeout: withDefault(wait, '30m', 'How long one load of an account may take.'),
};

const postgres = {
  postgres: postgresUrl
    .optional()
    .describe(
      'Address of a PostgreSQL database: postgres://USER:PASSWORD@HOST:5432/DATABASE; better ${NAME} than the password itself. Default: none; each target has exactly one of postgres, folder and s3.',
    ),
  schema: withDefault(
    schemaName,
    'vodhouse',
    'With postgres: schema of the tables; it is made where it is missing.',
  ),
  ssl: z
    .enum(SSL_MODES, SSL_MODES.join(', '))
    .optional()
    .describe(
      'With postgres: verify-full: TLS, with the certificate and the name in it checked; no-verify: TLS without checks; off: no TLS. Default: verify-full; off for 127.0.0.1, localhost and unix sockets.',
    ),
  ca: orNull(filePath).describe(
    'With postgres: PEM file with certificates of the authorities that the server may have its own from, relative to this file. Default: those of Node.',
  ),
  readers: withDefault(
    z.array(roleName, 'a list of roles'),
    [],
    'With postgres: roles that may read the tables; they are granted USAGE and SELECT, also on later tables.',
  ),
  lock_timeout: withDefault(
    wait,
    '10s',
    'With postgres: how long a load waits for a lock that another session holds.',
  ),
};

const lake = {
  folder: orNull(lakeFolder).describe(
    'A lake of Delta tables: its folder, relative to this file. It must be there; below a mount point, so that no other lake begins where the disk is not mounted. Default: none.',
  ),
  s3: orNull(s3Place).describe(
    'A lake of Delta tables in a bucket of an S3-compatible store: s3://BUCKET/PREFIX. Default: none.',
  ),
  endpoint: orNull(endpoint).describe(
    'With s3: address of the store, such as https://s3.example.test:9000; the bucket is in its path. Default: that of AWS in the region, with the bucket in the name of the host.',
  ),
  region: orNull(region).describe(
    'With s3: region of the bucket, such as eu-central-1. Default: us-east-1 with an endpoint; required without one.',
  ),
  access_key_id: orNull(key).describe(
    'With s3: id of the access key, required; better ${NAME} than the id itself. Variables and files of AWS are not read by themselves. Default: none.',
  ),
  secret_access_key: orNull(key).describe(
    'With s3: the secret access key, required; better ${NAME} than the key itself. Default: none.',
  ),
  session_token: orNull(key).describe(
    'With s3: token of temporary credentials; the worker takes a new one at kill -HUP. Default: none.',
  ),
  keep: withDefault(
    keepTime,
    '7d',
    'With folder or s3: how long replaced files stay, for queries under way and for older versions of a table; at least 1h.',
  ),
};

const entry = section(
  { ...common, ...postgres, ...lake },
  ...(['every', 'lock_timeout', 'load_timeout', 'keep'] as const),
);

/** One entry of `publish.targets`. An entry without a place, which `target-checks.ts` refuses, gets an empty address. */
export const target = entry.transform((settings) =>
  settings.postgres === undefined && (settings.folder !== null || settings.s3 !== null)
    ? toLake(settings)
    : toPostgres(settings),
);

type Entry = z.output<typeof entry>;

function toPostgres(settings: Entry) {
  const { name, postgres: url = '', schema, ssl, ca, readers, everyMs = 0 } = settings;
  const { lockTimeoutMs, loadTimeoutMs } = settings;
  return {
    ...{ kind: 'postgres' as const, name, postgres: url, schema, ssl: ssl ?? getDefaultSsl(url, ca) },
    /** Certificates in PEM; `loadConfig` reads them from the file. */
    ca: ca === null ? null : { file: ca, certificates: [] as string[] },
    ...{ readers, everyMs, lockTimeoutMs, loadTimeoutMs },
  };
}

function getDefaultSsl(url: string, ca: string | null): (typeof SSL_MODES)[number] {
  const parsed = parsePostgresUrl(url);
  return ca === null && 'address' in parsed && isLocalAddress(parsed.address) ? 'off' : 'verify-full';
}

function toLake(settings: Entry) {
  const { name, everyMs = DAY_MS, keepMs, loadTimeoutMs } = settings;
  const place = toPlace(settings);
  return { kind: 'lake' as const, name, place, everyMs, keepMs, loadTimeoutMs };
}

function toPlace(settings: Entry): LakePlace {
  const { folder, s3, endpoint: address, accessKeyId, secretAccessKey, sessionToken } = settings;
  if (folder !== null) return { kind: 'folder', path: folder };
  return {
    ...{ kind: 's3', bucket: '', prefix: '', ...parseS3Place(s3 ?? '') },
    ...{ endpoint: address, region: settings.region ?? DEFAULT_REGION },
    ...{ accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '', sessionToken },
  };
}

/** Stores that have no regions call theirs so. */
const DEFAULT_REGION = 'us-east-1';

type Target = z.output<typeof target>;

/** The logins of a target: none of them may ever be printed. */
export const listTargetSecrets = (settings: Target): string[] =>
  settings.kind === 'lake' ? listLakeSecrets(settings.place) : listPostgresSecrets(settings.postgres);

/** The target with absolute paths, and the certificates of its file: other than for a service, only these authorities are trusted. */
export function withFiles(settings: Target, toAbsolute: (path: string) => string): Target {
  if (settings.kind === 'lake') {
    const { place } = settings;
    return place.kind === 's3'
      ? settings
      : { ...settings, place: { ...place, path: toAbsolute(place.path) } };
  }
  if (settings.ca === null) return settings;
  const file = toAbsolute(settings.ca.file);
  const read = readCertificates(file);
  return { ...settings, ca: { file, certificates: 'problem' in read ? [] : read.certificates } };
}
