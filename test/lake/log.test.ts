import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action, AddFile } from '../../src/publishing/targets/delta/actions.ts';
import { openLog } from '../../src/publishing/targets/delta/log.ts';
import { openFolder } from '../../src/publishing/targets/stores/folder.ts';
import { TargetError } from '../../src/publishing/targets/target.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 };
const META: Action = {
  metaData: {
    id: 'id',
    format: { provider: 'parquet', options: {} },
    schemaString: '{}',
    partitionColumns: ['account'],
    configuration: { a: 'b' },
    createdTime: 5,
  },
};

const file = (path: string): AddFile => ({
  path,
  partitionValues: { account: 'main' },
  size: 10,
  modificationTime: 1,
  dataChange: true,
  stats: '{"numRecords":1}',
  tags: { from: 'a' },
});
const add = (path: string): Action => ({ add: file(path) });
const remove = (path: string, deletionTimestamp = 100): Action => ({
  remove: { path, deletionTimestamp, dataChange: true },
});
const txn = (version: number): Action => ({ txn: { appId: 'main', version, lastUpdated: 7 } });

const nameOf = (version: number, ending = 'json') => `${String(version).padStart(20, '0')}.${ending}`;

/** A table in a folder of its own, and the names of its log. */
function openTable() {
  const root = temporaryFolder();
  const store = openFolder(root);
  const folder = join(root, 'videos', '_delta_log');
  return {
    store,
    folder,
    open: () => openLog(store, 'videos'),
    names: () => readdirSync(folder).sort(),
    /** The kind of each action of a commit. */
    kindsIn: (name: string) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : Object.keys(JSON.parse(line) as Action))),
  };
}

type Log = Awaited<ReturnType<typeof openLog>>;

/** What a reader of the table relies on. */
const factsOf = ({ snapshot }: Log) => ({
  version: snapshot.version,
  files: [...snapshot.files.values()].map((each) => ({ ...each, dataChange: true })),
  removed: [...snapshot.removed.values()].map((each) => [each.path, each.deletionTimestamp]),
  txns: [...snapshot.txns.values()],
  metaData: snapshot.metaData,
  protocol: snapshot.protocol,
});

/** Writes versions up to this one: each adds a file, and removes the one before. */
async function writeUpTo(log: Log, version: number): Promise<void> {
  await log.commit([META, add('0')], 'CREATE TABLE');
  for (let next = 1; next <= version; next++)
    await log.commit([add(`${next}`), remove(`${next - 1}`, next), txn(next)], 'WRITE');
}

describe('the log of a table', () => {
  it('has no version before the first commit, which has the protocol', async () => {
    const { open, names, kindsIn } = openTable();
    const log = await open();
    expect(log.snapshot.version).toBeNull();
    expect(await log.commit([META, add('one')], 'CREATE TABLE')).toBeNull();
    expect(await log.commit([add('two'), remove('one'), txn(3)], 'WRITE')).toBeNull();
    expect(names()).toEqual([nameOf(0), nameOf(1)]);
    expect([kindsIn(nameOf(0)), kindsIn(nameOf(1))]).toEqual([
      ['commitInfo', 'protocol', 'metaData', 'add'],
      ['commitInfo', 'add', 'remove', 'txn'],
    ]);
    const expected = {
      version: 1,
      files: [file('two')],
      removed: [['one', 100]],
      txns: [txn(3).txn],
      metaData: META.metaData,
      protocol: PROTOCOL,
    };
    expect(factsOf(log)).toEqual(expected);
    expect(factsOf(await open())).toEqual(expected);
  });

  it('has a file that was removed and added again', async () => {
    const { open } = openTable();
    const log = await open();
    await log.commit([add('one')], 'WRITE');
    await log.commit([remove('one')], 'WRITE');
    await log.commit([add('one')], 'WRITE');
    expect(factsOf(log)).toMatchObject({ files: [file('one')], removed: [] });
  });

  it('returns what another writer committed first, and writes the version after it', async () => {
    const { open } = openTable();
    const [one, other] = [await open(), await open()];
    expect(await one.commit([META, add('one')], 'WRITE')).toBeNull();
    const theirs = await other.commit([add('two')], 'WRITE');
    expect(theirs?.flatMap((action) => action.add?.path ?? [])).toEqual(['one']);
    expect(await other.commit([add('two')], 'WRITE')).toBeNull();
    expect(factsOf(await open())).toMatchObject({ version: 1, files: [file('one'), file('two')] });
  });

  it('recognises its own commit where the answer of the store was lost', async () => {
    const { store } = openTable();
    const putIfAbsent = async (...given: Parameters<typeof store.putIfAbsent>) => {
      await store.putIfAbsent(...given);
      return false;
    };
    const log = await openLog({ ...store, putIfAbsent }, 'videos');
    expect(await log.commit([add('one')], 'WRITE')).toBeNull();
    expect(factsOf(log)).toMatchObject({ version: 0, files: [file('one')] });
  });

  it('has a checkpoint every 20 versions, from which it is read alone', async () => {
    const { open, names, folder } = openTable();
    const log = await open();
    await writeUpTo(log, 19);
    expect(await log.checkpoint(0)).toBeNull();
    await log.commit([txn(20)], 'WRITE');
    expect(await log.checkpoint(18)).toBe(20);
    expect(names().filter((name) => !name.endsWith('.json'))).toEqual([
      nameOf(20, 'checkpoint.parquet'),
      '_last_checkpoint',
    ]);
    for (let version = 0; version <= 20; version++) rmSync(join(folder, nameOf(version)));
    writeFileSync(join(folder, nameOf(21, 'json.crc')), 'written by Hadoop'); // no commit
    const reopened = await open();
    expect(factsOf(reopened)).toEqual(factsOf(log));
    expect(factsOf(reopened).removed).toEqual([
      ['17', 18],
      ['18', 19],
    ]);
    await reopened.commit([add('next')], 'WRITE');
    expect(await reopened.checkpoint(0)).toBeNull(); // the last one is of version 20
    expect(factsOf(await open()).version).toBe(21);
  });

  const newer = (reader: number, writer: number) =>
    JSON.stringify({ protocol: { minReaderVersion: reader, minWriterVersion: writer } });
  it.each<[what: string, name: string, text: string | null, message: string]>([
    ['lacks the version after its checkpoint', nameOf(21), null, 'videos/_delta_log/ lacks version 21'],
    ['lacks a later version', nameOf(22), null, 'videos/_delta_log/ lacks version 22'],
    ['lacks its checkpoint', nameOf(20, 'checkpoint.parquet'), null, 'is missing'],
    ['has a line that is no JSON', nameOf(23), '{', 'is not valid JSON'],
    ['has no valid pointer', '_last_checkpoint', 'x', 'is not valid JSON'],
    ['has a newer writer', nameOf(24), newer(1, 7), 'writer version 7 of Delta'],
    ['has a newer reader', nameOf(24), newer(3, 2), 'another program changed it'],
  ])('is not used where it %s', async (_what, name, text, message) => {
    const { open, folder } = openTable();
    const log = await open();
    await writeUpTo(log, 20);
    await log.checkpoint(0);
    for (let version = 21; version <= 23; version++) await log.commit([txn(version)], 'WRITE');
    if (text === null) rmSync(join(folder, name));
    else writeFileSync(join(folder, name), text);
    const opened = open();
    await expect(opened).rejects.toThrow(TargetError);
    await expect(opened).rejects.toMatchObject({
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining('the next load makes it again') as string,
    });
  });

  it('is not used where a commit is deleted while it is read', async () => {
    const { open, store } = openTable();
    await writeUpTo(await open(), 1);
    const opened = openLog({ ...store, get: () => Promise.resolve(null) }, 'videos');
    await expect(opened).rejects.toThrow(TargetError);
    await expect(opened).rejects.toThrow(`${nameOf(0)} is gone`);
  });
});
