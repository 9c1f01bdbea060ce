import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { childEnvWithout } from '../../src/config/env-vars.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';
import { AUTHORITY } from '../support/fixtures/self-signed.ts';

const URL = 'postgres://loader:the-word@db.example.test/videos';
const FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';

/** A config with these targets; each text is the lines of one, without its name. */
function withTargets(...targets: readonly string[]): string {
  const entries = targets.map(
    (lines, index) => `    - name: target-${index}\n      ${lines.replaceAll('\n', '\n      ')}\n`,
  );
  return `${LEAST}publish:\n  targets:\n${entries.join('')}`;
}
const at = (url: string, more = '') => `postgres: ${JSON.stringify(url)}${more}`;
const targetsOf = (yaml: string) => load(yaml).publish?.targets ?? [];
const postgresOf = (yaml: string) => targetsOf(yaml)[0] as PostgresTargetConfig;
const problemsOf = (...targets: readonly string[]) => readProblems(withTargets(...targets));

describe('a target', () => {
  it('has defaults for everything but its name and its address', () => {
    expect(targetsOf(withTargets(at(URL)))).toEqual([
      {
        kind: 'postgres',
        name: 'target-0',
        command: expect.stringMatching(/^vodhouse publish --target target-0 --config \S+\.yaml$/) as string,
        postgres: URL,
        schema: 'vodhouse',
        ssl: 'verify-full',
        ca: null,
        readers: [],
        everyMs: 0,
        lockTimeoutMs: 10_000,
        loadTimeoutMs: 1_800_000,
      },
    ]);
  });

  it.each([
    ['postgres://me@127.0.0.1/db', 'off'],
    ['postgres://me@localhost:5433/db', 'off'],
    ['postgresql://me@[::1]/db', 'off'],
    ['postgres://me@/db?host=/var/run/postgresql', 'off'],
    ['postgres://me@localhost/db?host=/cloudsql/project:region:name', 'off'],
    ['postgres://me@%2Fvar%2Frun/db', 'off'],
    ['postgres://me@[2001:db8::1]:5432/db', 'verify-full'],
    ['postgres://me@127.0.0.1.example.test/db', 'verify-full'],
  ])('at %s has ssl: %s by default', (url, ssl) => {
    expect(postgresOf(withTargets(at(url))).ssl).toBe(ssl);
  });

  it('has the certificates of its file, and then verify-full also on this machine', () => {
    const yaml = withTargets(at('postgres://me@127.0.0.1/db', '\nca: certs/pg.pem'));
    const folder = createFolder({ 'vodhouse.yaml': yaml, 'certs/pg.pem': `# ours\n${AUTHORITY}\n` });
    const config = loadConfig(join(folder, 'vodhouse.yaml'), {});
    const target = config.publish?.targets[0] as PostgresTargetConfig;
    expect(target.ca).toEqual({ file: join(folder, 'certs/pg.pem'), certificates: [AUTHORITY] });
    expect(target.ssl).toBe('verify-full');
  });
});

describe('the worker', () => {
  it('has the name in the config', () => {
    expect(load(`${LEAST}worker: eu-1\n`).worker).toBe('eu-1');
    expect(load(`${LEAST}worker: 007\n`).worker).toBe('007');
    expect(readProblems(`${LEAST}worker: "a\\nb"\n`)[0]).toContain('expected a text on one line');
  });
});

describe('an address that cannot be used is named with its password hidden', () => {
  it.each([
    ['mysql://me:word@db.test/videos', 'mysql://me:***@db.test/videos'],
    ['me:word@db.test/videos', '[hidden]'],
    ['postgres://me:word@db.test', 'postgres://me:***@db.test'],
    ['postgres://db.test:5432/videos', '[hidden]'],
    ['postgres://me:w%rd@db.test/videos', 'postgres://me:***@db.test/videos'],
    ['postgres://me:wo#rd@db.test/videos', 'postgres://me:***@db.test/videos'],
    ['postgres://me:word@one.test,two.test/videos', 'postgres://me:***@one.test,two.test/videos'],
    ['postgres://me:word@db.test/v?host=other', 'postgres://me:***@db.test/v'],
    ['postgres://me:word@db.test/v?sslmode=require&sslrootcert=x', 'postgres://me:***@db.test/v'],
  ])('%s', (url, shown) => {
    const line = `line 9  publish.targets[0].postgres: ${shown} is not valid; expected ${FORM}, with % @ : / ? # in a name or a password written %25`;
    const fromVariable = withTargets('postgres: ${PG}');
    for (const problems of [problemsOf(at(url)), readProblems(fromVariable, { PG: url })]) {
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(line);
      expect(problems[0]).toContain('the key `ssl`');
    }
  });

  it('also where it is empty, or no text', () => {
    const expected = `expected ${FORM}`;
    expect(problemsOf('postgres:')).toEqual([`line 9  publish.targets[0].postgres: is empty; ${expected}`]);
    expect(problemsOf('postgres: { url: x }')[0]).toContain(expected);
  });
});

describe('other problems of targets', () => {
  it.each([
    ['schema: Shop', 'schema: "Shop" is not valid; expected a name of small letters'],
    ['schema: pg_temp', 'but not pg_… or information_schema'],
    [`schema: ${'a'.repeat(64)}`, '63 at most'],
    ['ssl: require', 'ssl: "require" is not valid; expected verify-full, no-verify, off'],
    ['readers: bi_reader', 'readers: is a single value; expected a list of roles'],
    ['readers: [""]', 'readers[0]: is empty; expected the name of a role'],
    ['every: 5', 'every: "5" is not valid; expected 0, or a whole number with its unit'],
    ['lock_timeout: 0s', 'lock_timeout: "0s" is not valid; expected a time from 1ms to 24d'],
    ['load_timeout: 25d', 'load_timeout: "25d" is not valid; expected a time from 1ms to 24d'],
    ['sslmode: require', 'sslmode: unknown key; '],
    ['ca: none.pem', 'ca: "none.pem" cannot be used (ENOENT'],
  ])('%s', (line, text) => {
    expect(problemsOf(at(URL, `\n${line}`)).join('\n')).toContain(text);
  });

  it('a name that two have, or that no metric can have', () => {
    const yaml = withTargets(at(URL), at(`${URL}2`));
    expect(readProblems(yaml.replace('target-1', 'target-0'))).toEqual([
      'line 10  publish.targets[1].name: "target-0" is taken by another one; expected another name',
    ]);
    expect(readProblems(yaml.replace('target-1', 'a b'))[0]).toContain('expected letters, digits, - and _');
  });
});

describe('the password', () => {
  it('is a secret as it is written, decoded, and with its address; an address without one is none', () => {
    const url = 'postgres://me:p%40ss%2Fword@db.test/videos';
    expect(load(withTargets(at(url))).secrets).toEqual(['first-key', url, 'p%40ss%2Fword', 'p@ss/word']);
    expect(load(withTargets(at('postgres://me@db.test/videos'))).secrets).toEqual(['first-key']);
  });

  it('is in no variable of a child process, neither encoded nor decoded', () => {
    const { secrets } = load(withTargets(at('postgres://me:p%40ss%2Fword@db.test/videos')));
    for (const value of ['postgres://x:p%40ss%2fword@y/z', 'p@ss/word', 'password=p@ss/word']) {
      process.env.VODHOUSE_TEST_PG = value;
      expect(childEnvWithout(secrets)).not.toHaveProperty('VODHOUSE_TEST_PG');
    }
    process.env.VODHOUSE_TEST_PG = 'word';
    const short = load(withTargets(at('postgres://me:word@db.test/videos'))).secrets;
    expect(childEnvWithout(short)).not.toHaveProperty('VODHOUSE_TEST_PG');
    delete process.env.VODHOUSE_TEST_PG;
  });

  it('is in no message, whatever is wrong around it', () => {
    const word = fc.stringMatching(/^[!-~]{8,20}$/).map((text) => `Zq${text}`);
    const shape = fc.constantFrom(
      'postgres://me:W@db.test',
      'postgres://me:W@db.test/db?sslmode=W',
      'postgres:/me:W@db.test/db',
      'me:W@db.test',
      'W',
      'postgres://me:W',
      'postgres://me:W/db',
      'https://me:W@x/y',
    );
    fc.assert(
      fc.property(word, shape, (secret, form) => {
        const url = form.replaceAll(':W', () => `:${secret}`).replaceAll('W', () => secret);
        const error = catchConfigError(() => load(withTargets(at(url.replaceAll('${', '$ {'), '\nssl: on'))));
        const text = `${error.message}${error.stack ?? ''}`;
        expect(text).not.toContain(secret);
      }),
    );
  });
});
