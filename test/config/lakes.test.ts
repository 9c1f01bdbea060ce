import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

const LOGIN = 'access_key_id: the-key-id, secret_access_key: the-secret';
const ENDPOINT = 'endpoint: "http://127.0.0.1:9000"';
const AWS = `s3: s3://videos/lake, region: eu-central-1, ${LOGIN}`;

/** A config with these targets; each text is the keys of one, without its name. */
const withTargets = (...targets: readonly string[]): string =>
  `${LEAST}publish:\n  targets:\n${targets.map((keys, index) => `    - { name: t${index}, ${keys} }\n`).join('')}`;
const firstTarget = (keys: string) => load(withTargets(keys)).publish?.targets[0];
const problemsOf = (...targets: readonly string[]) =>
  readProblems(withTargets(...targets)).map((line) => line.replace(/^line \d+ {2}publish\./, ''));

describe('a lake', () => {
  it('in a folder has defaults for everything but its name and its place', () => {
    const config = load(withTargets('folder: data/lake'));
    expect(config.publish?.targets).toEqual([
      {
        kind: 'lake',
        name: 't0',
        command: expect.stringContaining('vodhouse publish --target t0 --config ') as string,
        place: { kind: 'folder', path: join(dirname(config.file), 'data/lake') },
        everyMs: 86_400_000,
        keepMs: 7 * 86_400_000,
        loadTimeoutMs: 1_800_000,
      },
    ]);
  });

  it('in a bucket of AWS has the bucket in the name of the host, and a region', () => {
    expect(firstTarget(AWS)).toMatchObject({
      place: {
        kind: 's3',
        bucket: 'videos',
        prefix: 'lake',
        endpoint: null,
        region: 'eu-central-1',
        accessKeyId: 'the-key-id',
        secretAccessKey: 'the-secret',
        sessionToken: null,
      },
    });
  });

  it('in a bucket of another store has the bucket in the path, and the region that stores without regions have', () => {
    const place = { endpoint: 'http://127.0.0.1:9000', region: 'us-east-1' };
    expect(firstTarget(`s3: "s3://videos/", ${ENDPOINT}, ${LOGIN}`)).toMatchObject({
      place: { ...place, bucket: 'videos', prefix: '' },
    });
    const more = 'region: auto, session_token: the-token';
    expect(
      firstTarget(`s3: s3://a.b-c/one/two=3/, ${ENDPOINT.replace('9000', '9000/')}, ${LOGIN}, ${more}`),
    ).toMatchObject({
      place: {
        ...place,
        bucket: 'a.b-c',
        prefix: 'one/two=3',
        region: 'auto',
        sessionToken: 'the-token',
      },
    });
  });

  it('may have a login of digits, and is loaded at most once a day unless it says otherwise', () => {
    const target = firstTarget(`s3: s3://videos, ${ENDPOINT}, access_key_id: 0123, secret_access_key: 0456`);
    expect(target).toMatchObject({
      place: { accessKeyId: '0123', secretAccessKey: '0456' },
      everyMs: 86_400_000,
    });
    expect(firstTarget('postgres: "postgres://me@127.0.0.1/db"')?.everyMs).toBe(0);
  });
});

describe('a target that cannot be', () => {
  it.each([
    ['no place', 'every: 1h', ['targets[0]: a mapping is not valid']],
    ['an unknown place', 'delta: /srv/lake', ['targets[0]: a mapping is not valid']],
    [
      'two places',
      'folder: /srv/lake, postgres: "postgres://me@127.0.0.1/db"',
      ['targets[0]: a mapping is not valid'],
    ],
    ['a key of PostgreSQL', 'folder: /srv/lake, schema: a', ['targets[0].schema: unknown key']],
    ['a key of a lake', 'postgres: "postgres://me@127.0.0.1/db", keep: 3d', ['targets[0].keep: unknown key']],
    ['a short keep', 'folder: /srv/lake, keep: 59m', ['targets[0].keep: "59m" is not valid']],
    ['a home', 'folder: ~/lake', ['targets[0].folder: "~/lake" is not valid']],
    ['an address', 'folder: "s3://bucket/lake"', ['targets[0].folder: "s3://bucket/lake" is not valid']],
    [
      'an endpoint with a path',
      `s3: s3://videos, endpoint: "https://s3.test/videos", ${LOGIN}`,
      ['targets[0].endpoint: "https://s3.test/videos" is not valid'],
    ],
    [
      'no login',
      `s3: s3://videos, ${ENDPOINT}`,
      ['targets[0].access_key_id: missing', 'targets[0].secret_access_key: missing'],
    ],
  ])('%s', (_, keys, expected) => {
    expect(problemsOf(keys).map((line) => line.split('; ')[0])).toEqual(expected);
  });

  it.each([
    'https://videos.s3.amazonaws.com/lake',
    'videos/lake',
    's3://videos//lake',
    's3://videos/../lake',
    's3://videos/*',
  ])('in a bucket at %s', (s3) => {
    const [problem, ...others] = problemsOf(`s3: "${s3}", ${ENDPOINT}, ${LOGIN}`);
    expect(problem).toContain(
      `targets[0].s3: ${JSON.stringify(s3)} is not valid; expected s3://BUCKET/PREFIX`,
    );
    expect(others).toEqual([]);
  });
});

describe('the login of a store', () => {
  it('is a secret, the token too', () => {
    const keys = `${AWS}, session_token: the-token`;
    expect(load(withTargets(keys)).secrets).toEqual(['first-key', 'the-key-id', 'the-secret', 'the-token']);
    expect(load(withTargets('folder: /srv/lake')).secrets).toEqual(['first-key']);
  });

  it('is in no message, whatever is wrong with it or around it', () => {
    const word = fc.stringMatching(/^[!#-&(-~]{8,20}$/).map((text) => `Zq${text.replaceAll('${', '$ {')}`);
    const shape = fc.constantFrom(
      ...[
        `access_key_id: "W\\n", secret_access_key: b`,
        `access_key_id: a, secret_access_key: "W "`,
        `access_key_id: a, secret_access_key: b, session_token: " W"`,
        `access_key_id: a, secret_access_key: { b: W }`,
        `access_key_id: a, secret_access_key: [W]`,
      ].map((login) => ['s3://videos', login] as const),
      ...['s3://W:W@videos', 's3://me:W@videos/lake', 'https://s3.test/videos?X-Amz-Signature=W'].map(
        (s3) => [s3, 'access_key_id: a'] as const,
      ),
      ['s3://videos/W x', 'access_key_id: W, secret_access_key: b'] as const,
    );
    fc.assert(
      fc.property(word, shape, (secret, [s3, login]) => {
        const quoted = JSON.stringify(secret).slice(1, -1);
        const keys = `s3: "${s3}", ${login}, endpoint: "http://x/"`
          .replaceAll(/(?<=[{[ ])W(?=[\]} ,]|$)/g, '"W"')
          .replaceAll('W', () => quoted);
        const error = catchConfigError(() => load(withTargets(`${keys}, unknown: 1`)));
        expect(`${error.message}${error.stack ?? ''}`).not.toContain(secret);
      }),
    );
  });
});
