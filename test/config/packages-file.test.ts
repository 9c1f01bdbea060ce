import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, loadConfigWithoutFiles, rereadPackages } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError } from '../support/fixtures/load-config.ts';

const YAML = `timezone: Asia/Seoul
accounts:
  - name: main
    video_list: { base_url: https://videos.example.test, key: first-key }
    packages: { file: lists/packages.csv }
`;

function createFiles(csv: string | Uint8Array | null, yaml = YAML) {
  const folder = createFolder({ 'vodhouse.yaml': yaml, 'lists/other.txt': '' });
  const csvFile = join(folder, 'lists/packages.csv');
  if (csv !== null) writeFileSync(csvFile, csv);
  return { file: join(folder, 'vodhouse.yaml'), csvFile };
}

function loadPackages(csv: string) {
  const { packages } = loadConfig(createFiles(csv).file, {}).accounts[0] ?? { packages: [] };
  return packages.map(({ id, name }) => (name === null ? id : `${id} ${name}`));
}

const problemsOf = (csv: string | Uint8Array | null) =>
  catchConfigError(() => loadConfig(createFiles(csv).file, {}))
    .message.split('\n')
    .slice(1)
    .map((line) => line.replace('  line 5  accounts[0].packages.file: ', ''));

const LECTURES = [101, '102 Lectures'];

const ACCEPTED: [string, string, (string | number)[]][] = [
  ['a header', 'id,name\n101,\n102,Lectures\n', LECTURES],
  ['no header', '101\n102,Lectures\n', LECTURES],
  ['semicolons, CRLF and a byte order mark', '\uFEFFid;name\r\n101;\r\n102;Lectures\r\n', LECTURES],
  [
    'the separator in its first line, as Excel writes it',
    'sep=;\r\nid;name\r\n101;\r\n102;Lectures\r\n',
    LECTURES,
  ],
  ['another one there', '\uFEFF"SEP=|"\n101|\n102|Lectures\n', LECTURES],
  ['tabs', '101\t\n102\tLectures\n', LECTURES],
  ['other columns in any order', 'Owner, Name ,ID\nann,,101\nbob,Lectures,102\n', LECTURES],
  ['the columns of the published file', 'package_id,package_name\n101,\n102,Lectures\n', LECTURES],
  ['comments, blank lines and empty rows', '# ours\n\n101\n,,,\n  \n102,Lectures\n', LECTURES],
  ['spaces', ' 101 \n 102 , Lectures \n', LECTURES],
  ['quotes', '"101","A; ""b"", c"\n"102","over\ntwo lines"\n', ['101 A; "b", c', '102 over two lines']],
  ['signs inside of a name', '101,Show #1\n102,5" disk\n', ['101 Show #1', '102 5" disk']],
  ['a comma in a name beside semicolons', '101;Lectures, vol. 2\n', ['101 Lectures, vol. 2']],
];

describe('a file of packages', () => {
  test.each(ACCEPTED)('is read with %s', (_what, csv, expected) => {
    expect(loadPackages(csv)).toEqual(expected);
  });

  test.each<[string, string | Uint8Array | null, string[]]>([
    ['that is missing', null, [' cannot be read: ENOENT']],
    ['that is empty', '', [' has 0 packages; expected 1 to 10,000']],
    [
      'without an id',
      '101\n\nabc,Lectures\n,Lectures\n0\n',
      [', line 3: id: "abc" is not valid', ', line 4: id: is empty', ', line 5: id: "0" is not valid'],
    ],
    ['with another header', 'package,title\n101,A\n', [', line 1: id: "package" is not valid']],
    ['with an id twice', 'id\n101\n102\n101\n', [', line 4: id: 101 is on line 2 too']],
    ['with one below a separator', 'sep=;\n101;\nabc;\n', [', line 3: id: "abc" is not valid']],
    ['with a separator in a name', '101,Lectures, vol. 2\n', [', line 1: has 3 values; expected 2']],
    ['that ends inside of a quote', '101,A\n102,"Lectu', [', line 2: ']],
    [
      'with a wrong schedule',
      'id,schedule\n101,@weekly\n102,often\n',
      [', line 3: schedule: "often" is not valid'],
    ],
    [
      'in another code page',
      Buffer.from([...Buffer.from('101,A\n102,'), 0xb0, 0xa1]),
      [' cannot be read: it is not UTF-8: save it in that encoding;'],
    ],
  ])('%s is rejected', (_what, csv, expected) => {
    const starts = problemsOf(csv).map((line, index) =>
      line.slice(0, 'packages.csv'.length + (expected[index]?.length ?? 0)),
    );
    expect(starts).toEqual(expected.map((text) => `packages.csv${text}`));
  });

  test('may have schedules, which need a header', () => {
    const { file } = createFiles('id;name;schedule\n101;;\n102;Archive;0 3  * * 0\n103;News;@hourly\n');
    expect(loadConfig(file, {}).accounts[0]?.packages).toEqual([
      { id: 101, name: null },
      { id: 102, name: 'Archive', full: '0 3 * * 0' },
      { id: 103, name: 'News', full: '0 * * * *' },
    ]);
    expect(problemsOf('101,News,@hourly\n')).toEqual([expect.stringContaining('has 3 values; expected 2')]);
  });

  test('is reported together with the problems of the config', () => {
    const { file } = createFiles('abc\n', `${YAML}walk: { removal_brake: 2 }\n`);
    const { message } = catchConfigError(() => loadConfig(file, {}));
    expect(message).toMatch(
      /has 2 problems:\n {2}line 5 .*packages\.csv, line 1.*\n {2}line 6 .*removal_brake/,
    );
  });

  test('may be absolute, and is no list beside others', () => {
    const { csvFile, file } = createFiles('7\n', YAML);
    writeFileSync(file, YAML.replace('lists/packages.csv', csvFile));
    expect(loadConfig(file, {}).accounts[0]).toMatchObject({ packages: [{ id: 7 }], packagesFile: csvFile });
    writeFileSync(file, YAML.replace('{ file:', '{ files:'));
    expect(catchConfigError(() => loadConfig(file, {})).message).toContain('did you mean file?');
    writeFileSync(file, YAML.replace('{ file: lists/packages.csv }', 'packages.csv'));
    expect(catchConfigError(() => loadConfig(file, {})).message).toContain(
      'expected a list of packages, or { file: packages.csv }',
    );
  });

  test('never shows a secret, also where another file is named', () => {
    const { csvFile, file } = createFiles('key=first-key\n');
    const { message } = catchConfigError(() => loadConfig(file, {}));
    expect(message).not.toContain('first-key');
    expect(message).toContain('"key=[key]" is not valid');
    writeFileSync(csvFile, '101\n102,"first-key');
    expect(catchConfigError(() => loadConfig(file, {})).message).not.toContain('first-key');
  });
});

describe('reading the file again', () => {
  test('gives the packages that it has now, or the same config', () => {
    const { csvFile, file } = createFiles('101\n102\n');
    const config = loadConfig(file, {});
    expect(rereadPackages(config)).toEqual({ config, unusable: [] });
    expect(rereadPackages(config).config).toBe(config);
    writeFileSync(csvFile, '101\n103,New\n');
    const { packages } = rereadPackages(config).config.accounts[0] ?? {};
    expect(packages).toEqual([
      { id: 101, name: null },
      { id: 103, name: 'New' },
    ]);
  });

  test('keeps the packages where it cannot be used, and says why', () => {
    const { csvFile, file } = createFiles('101\n102\n');
    const config = loadConfig(file, {});
    rmSync(csvFile);
    const reread = rereadPackages(config);
    expect(reread.config).toBe(config);
    expect(reread.unusable).toEqual([
      { account: 'main', problem: expect.stringContaining('packages.csv cannot be read: ENOENT') as string },
    ]);
    expect(loadConfigWithoutFiles(file)).toMatchObject({
      config: { accounts: [{ packages: [] }] },
      unusable: reread.unusable,
    });
  });
});
