/** The config of targets: places besides the published file that get the same tables. */
import { normalize } from 'node:path';
import * as z from 'zod';
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

const common = {
  name: accountName.describe('Name of the target in messages, metrics and on the command line; unique.'),
  every: orNull(durationOrZero).describe(
    'At most one load in this time; 0: after each publication that changed something. Default: 0; 24h for a lake.',
  ),
  load_timeout: withDefault(wait, '30m', 'How long one load of an account may take.'),
};

const postgres = {
  postgres: orNull(postgresUrl).describe(
    'Address of a PostgreSQL database: postgres://USER:PASSWORD@HOST:5432/DATABASE; better ${NAME} than the password itself. Default: none; each target has exactly one of postgres, folder and s3.',
  ),
  schema: orNull(schemaName).describe(
    'With postgres: schema of the tables; it is made where it is missing. Default vodhouse.',
  ),
  ssl: orNull(z.enum(SSL_MODES, SSL_MODES.join(', '))).describe(
    'With postgres: verify-full: TLS, with the certificate and the name in it checked; no-verify: TLS without checks; off: no TLS. Default: verify-full; off for 127.0.0.1, localhost and unix sockets.',
  ),
  ca: orNull(filePath).describe(
    'With postgres: PEM file with certificates of the authorities that the server may have its own from, relative to this file. Default: those of Node.',
  ),
  readers: orNull(z.array(roleName, 'a list of roles')).describe(
    'With postgres: roles that may read the tables; they are granted USAGE and SELECT, also on later tables. Default none.',
  ),
  lock_timeout: orNull(wait).describe(
    'With postgres: how long a load waits for a lock that another session holds. Default 10s.',
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
  region: orNull(region).describe('With s3: region of the bucket, such as eu-central-1. Default: us-east-1.'),
  access_key_id: orNull(key).describe(
    'With s3: id of the access key, required; better ${NAME} than the id itself. Variables and files of AWS are not read by themselves. Default: none.',
  ),
  secret_access_key: orNull(key).describe(
    'With s3: the secret access key, required; better ${NAME} than the key itself. Default: none.',
  ),
  session_token: orNull(key).describe(
    'With s3: token of temporary credentials; the worker takes a new one at kill -HUP. Default: none.',
  ),
  keep: orNull(keepTime).describe(
    'With folder or s3: how long replaced files stay, for queries under way and for older versions of a table; at least 1h. Default 7d.',
  ),
};

/** A target has one place, and only the keys of that. */
const PLACES = ['postgres', 'folder', 's3'] as const;
const S3_KEYS = ['endpoint', 'region', 'access_key_id', 'secret_access_key', 'session_token'] as const;
const KEYS_OF = {
  postgres: ['schema', 'ssl', 'ca', 'readers', 'lock_timeout'],
  folder: ['keep'],
  s3: ['keep', ...S3_KEYS],
} as const;

const toName = (text: string) => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const entry = section({ ...common, ...postgres, ...lake }, 'load_timeout').superRefine((written, context) => {
  const expect = (name: string, message: string) => {
    context.addIssue({ code: 'custom', path: [name], message, input: written });
  };
  const has = (name: string) => (written as Record<string, unknown>)[toName(name)] !== null;
  const [place, second] = PLACES.filter(has);
  if (place === undefined) {
    expect('postgres', `a place: one of ${PLACES.join(', ')}`);
    return;
  }
  if (second !== undefined) {
    expect(second, `one place: ${place}, or two targets`);
    return;
  }
  const own: readonly string[] = KEYS_OF[place];
  for (const name of new Set(Object.values(KEYS_OF).flat()))
    if (has(name) && !own.includes(name)) expect(name, `no ${name} with ${place}`);
  if (place !== 's3') return;
  if (!has('access_key_id')) expect('access_key_id', 'the id of an access key, such as ${AWS_ACCESS_KEY_ID}');
  if (!has('secret_access_key')) expect('secret_access_key', 'its secret, such as ${AWS_SECRET_ACCESS_KEY}');
});

type Entry = z.output<typeof entry>;

const target = entry.transform((settings) =>
  settings.postgres === null ? toLake(settings) : toPostgres(settings, settings.postgres),
);

/** Behind it, a check runs only where every target is valid. */
const identity = <Value>(value: Value): Value => value;

/** `publish.targets`: each has another name and another place. */
export const targets = z
  .array(target, 'a list of targets')
  .transform(identity)
  .superRefine((list, context) => {
    const expect = (key: readonly string[], what: string, getValue: (each: Target) => string) => {
      const values = list.map(getValue);
      for (const [index, value] of values.entries()) {
        const first = values.indexOf(value);
        const message = `another ${what} than targets[${first}]`;
        if (first < index) context.addIssue({ code: 'custom', path: [index, ...key], message, input: list });
      }
    };
    expect(['name'], 'name', ({ name }) => name);
    expect([], 'place', formatPlace);
  });

/** Where the target is, without the login. */
function formatPlace(settings: Target): string {
  if (settings.kind === 'lake') {
    const { place } = settings;
    return place.kind === 'folder'
      ? normalize(`${place.path}/`)
      : `${place.endpoint}/${place.bucket}/${place.prefix}`;
  }
  const parsed = parsePostgresUrl(settings.postgres);
  const { host = '', port = 0, database = '' } = 'address' in parsed ? parsed.address : {};
  return JSON.stringify([host.toLowerCase(), port, database, settings.schema]);
}

function toPostgres(settings: Entry, url: string) {
  const { name, ssl, ca, every, loadTimeoutMs } = settings;
  const parsed = parsePostgresUrl(url);
  const isLocal = ca === null && 'address' in parsed && isLocalAddress(parsed.address);
  return {
    ...{ kind: 'postgres' as const, name, postgres: url, schema: settings.schema ?? 'vodhouse' },
    ssl: ssl ?? (isLocal ? ('off' as const) : ('verify-full' as const)),
    /** Certificates in PEM; `loadConfig` reads them from the file. */
    ca: ca === null ? null : { file: ca, certificates: [] as string[] },
    ...{ readers: settings.readers ?? [], everyMs: every ?? 0 },
    ...{ lockTimeoutMs: settings.lockTimeout ?? 10_000, loadTimeoutMs },
  };
}

function toLake(settings: Entry) {
  const { name, every, keep, loadTimeoutMs, folder, s3, endpoint: address, sessionToken } = settings;
  const { accessKeyId, secretAccessKey } = settings;
  const place: LakePlace =
    folder !== null
      ? { kind: 'folder', path: folder }
      : {
          ...{ kind: 's3', bucket: '', prefix: '', ...parseS3Place(s3 ?? '') },
          ...{ endpoint: address, region: settings.region ?? 'us-east-1' }, // stores that have no regions call theirs so
          ...{ accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '', sessionToken },
        };
  const times = { everyMs: every ?? DAY_MS, keepMs: keep ?? 7 * DAY_MS, loadTimeoutMs };
  return { kind: 'lake' as const, name, place, ...times };
}

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
