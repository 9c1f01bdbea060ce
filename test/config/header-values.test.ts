import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

const EXPECTED =
  '[hidden] is not valid; expected a key that an HTTP header can carry, without typographic quotes and the like';
const withStorage = (keys: string) => `${LEAST}    storage:\n      base_url: http://r\n${keys}`;
const IN_HEADER = '      auth: { header: x-api-key }\n';

describe('a key that is sent in a header', () => {
  it.each([
    '“quoted”',
    '‘quoted’',
    'key…',
    '"a\\u0007b"',
    '"a\\u0000b"',
    '"a\\u2028b"',
    '키',
    '"\\uD83D\\uDD25"',
  ])('cannot have what no header can carry: %s', (key) => {
    const own = readProblems(withStorage(`${IN_HEADER}      key: ${key}\n`));
    expect(own).toEqual([`line 9  accounts[0].storage.key: ${EXPECTED}`]);
    const shared = readProblems(withStorage(IN_HEADER).replace('first-key', key));
    expect(shared).toEqual([`line 4  accounts[0].video_list.key: ${EXPECTED}`]);
  });

  it.each(['plain', '"with space"', '"with\\ttab"', '"für"', '12345', '"a!#$%&()*+,-./:;<=>?@[]^_`{|}~"'])(
    'may be %s',
    (key) => {
      expect(() => load(withStorage(`${IN_HEADER}      key: ${key}\n`))).not.toThrow();
    },
  );

  it('is named by its line where it comes from a variable or a file, and is not printed', () => {
    for (const place of ['${KEY}', '${file:key.txt}']) {
      const yaml = withStorage(`${IN_HEADER}      key: ${place}\n`);
      const folder = createFolder({ 'vodhouse.yaml': yaml, 'key.txt': '“hunter2”\n' });
      const error = catchConfigError(() => loadConfig(join(folder, 'vodhouse.yaml'), { KEY: '“hunter2”' }));
      expect(error.message).toContain(`line 9  accounts[0].storage.key: ${EXPECTED}`);
      expect(`${error.message}${error.stack}`).not.toContain('hunter2');
    }
  });

  it('is not the one of the list where the storage has its own, nor any where a query carries it', () => {
    const own = withStorage(`${IN_HEADER}      key: plain\n`).replace('first-key', '“x”');
    const inQuery = withStorage('      auth: query\n      key: “x”\n');
    for (const yaml of [own, inQuery, LEAST.replace('first-key', '“x”')])
      expect(() => load(yaml)).not.toThrow();
  });
});

it.each(['access_key_id', 'session_token'])('%s of a bucket is sent in a header too', (name) => {
  const login = { access_key_id: 'id', secret_access_key: '“secret”', session_token: 'token', [name]: '“x”' };
  const keys = Object.entries(login).map(([key, value]) => `        ${key}: ${value}\n`);
  const yaml = `${LEAST}publish:\n  targets:\n    - name: lake\n      s3: s3://videos/lake\n${keys.join('')}`;
  expect(readProblems(yaml.replaceAll('        ', '      '))).toEqual([
    expect.stringMatching(
      `publish\\.targets\\[0\\]\\.${name}: \\[hidden\\] is not valid; expected a key that an HTTP header can carry`,
    ),
  ]);
});
