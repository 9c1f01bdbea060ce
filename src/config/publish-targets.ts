/** The config of targets: places besides the published file that get the same tables. */
import { z } from 'zod';
import { isLocalAddress, parsePostgresUrl } from '../lib/postgres-url.ts';
import { orNull, section, withDefault } from './sections.ts';
import { accountName, durationOrZero, filePath, roleName, schemaName, wait } from './value-types.ts';

const SSL_MODES = ['verify-full', 'no-verify', 'off'] as const;

const postgresUrl = z.string('postgres://USER:PASSWORD@HOST:5432/DATABASE').superRefine((value, context) => {
  const parsed = parsePostgresUrl(value);
  if ('expected' in parsed) context.addIssue({ code: 'custom', message: parsed.expected, input: value });
});

/** One entry of `publish.targets`. */
export const target = section(
  {
    name: accountName.describe('Name of the target in messages, metrics and on the command line; unique.'),
    postgres: postgresUrl.describe(
      'Address of a PostgreSQL database: postgres://USER:PASSWORD@HOST:5432/DATABASE; better ${NAME} than the password itself.',
    ),
    schema: withDefault(schemaName, 'vodhouse', 'Schema of the tables; it is made where it is missing.'),
    ssl: z
      .enum(SSL_MODES, SSL_MODES.join(', '))
      .optional()
      .describe(
        'verify-full: TLS, with the certificate and the name in it checked; no-verify: TLS without checks; off: no TLS. Default: verify-full; off for 127.0.0.1, localhost and unix sockets.',
      ),
    ca: orNull(filePath).describe(
      'PEM file with certificates of the authorities that the server may have its own from, relative to this file. Default: those of Node.',
    ),
    readers: withDefault(
      z.array(roleName, 'a list of roles'),
      [],
      'Roles that may read the tables; they are granted USAGE and SELECT, also on later tables.',
    ),
    every: withDefault(
      durationOrZero,
      '0',
      'At most one load in this time; 0: after each publication that changed something.',
    ),
    lock_timeout: withDefault(wait, '10s', 'How long a load waits for a lock that another session holds.'),
    load_timeout: withDefault(wait, '30m', 'How long one load of an account may take.'),
    exclusive: withDefault(
      z.boolean('true or false'),
      true,
      'true: an account that another worker holds is not synced here; false: it is synced all the same.',
    ),
  },
  ...(['every', 'lock_timeout', 'load_timeout'] as const),
).transform(({ ssl, ca, ...target }) => ({
  ...target,
  ssl: ssl ?? getDefaultSsl(target.postgres, ca),
  /** Certificates in PEM; `loadConfig` reads them from the file. */
  ca: ca === null ? null : { file: ca, certificates: [] as string[] },
}));

function getDefaultSsl(url: string, ca: string | null): (typeof SSL_MODES)[number] {
  const parsed = parsePostgresUrl(url);
  return ca === null && 'address' in parsed && isLocalAddress(parsed.address) ? 'off' : 'verify-full';
}
