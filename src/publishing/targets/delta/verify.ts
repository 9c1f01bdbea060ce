/** Compares every value of an account in a lake with the published file. */
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { DAY_MS, toTimestamp } from '../../../lib/clock.ts';
import { errorLine } from '../../../lib/errors.ts';
import type { Store } from '../stores/store.ts';
import { TargetError } from '../target.ts';
import { compareRows, readFileRows, toRowForm, type Row, type RowForm, type Value } from '../verify.ts';
import type { AddFile } from './actions.ts';
import { toArrayBuffer } from './checkpoint.ts';
import { compareFiles, ownRows, sliceOf } from './files.ts';
import { filesOf, type LoadContext } from './lake.ts';
import { listLarge, listSmall } from './tables.ts';

/** A sentence for each difference. Throws TargetError. */
export async function* findDifferences(
  { lake, command, source: { db, marts } }: LoadContext,
  account: string,
): AsyncGenerator<string> {
  for (const table of [...listLarge(marts), ...listSmall(marts)]) {
    const form = toRowForm(table);
    const files = filesOf((await lake.getLog(table.name)).snapshot, 'account', account);
    const order = [sliceOf(table), ...table.key.map((name) => `t."${name}"`)];
    const ours = readFileRows(db, form, ownRows(table, account), order);
    const hint = `${command} --rebuild ${account} writes it again`;
    yield* compareRows(form, account, readRows(lake.store, form, files, hint), ours);
  }
}

/** The rows of all files. `hint`: for a file that cannot be read. */
async function* readRows(
  store: Store,
  form: RowForm,
  files: AddFile[],
  hint: string,
): AsyncGenerator<Row, undefined> {
  for (const { path } of files.sort(compareFiles)) {
    const name = `${store.name}/${form.name}/${path}`;
    const bytes = await store.get(`${form.name}/${path}`);
    if (bytes === null) throw new TargetError(`${name} is gone`, { hint });
    try {
      yield* readParquetRows(toArrayBuffer(bytes), form);
    } catch (cause) {
      throw new TargetError(`${name} cannot be read: ${errorLine(cause)}`, { hint, cause });
    }
  }
}

async function* readParquetRows(file: ArrayBuffer, { columns }: RowForm): AsyncGenerator<Row, undefined> {
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows: count } of metadata.row_groups) {
    const rowEnd = rowStart + Number(count);
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, parsers: PARSERS });
    // hyparquet types values as any
    for (const row of rows) yield columns.map(({ name }) => row[name] as Value);
    rowStart = rowEnd;
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Texts, moments and days as the published file has them. */
const PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes),
  timestampFromMicroseconds: (micros: bigint) => {
    const rest = micros % 1_000_000n;
    return `${toTimestamp(Number(micros / 1000n))}${rest === 0n ? '' : ` and ${rest} microseconds`}`;
  },
  dateFromDays: (days: number) => toTimestamp(days * DAY_MS).slice(0, 10),
};
