import { chmodSync, createWriteStream, renameSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { draftPath, removeDraft, removeStaleDrafts } from '../../database/draft-files.ts';
import { ConfigError, errorCode, errorMessage, InterruptedError, VodhouseError } from '../../lib/errors.ts';
import { formatBytes, pluralize } from '../../lib/format.ts';
import { openExport, type Export } from '../../publishing/export.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { inChunks } from '../output/chunks.ts';
import { formatJson } from '../output/output.ts';
import { queryCsv } from '../../publishing/query-csv.ts';
import { ndjson } from '../output/query-text.ts';
import { resolveExportFile } from '../export-file.ts';
import { findPublishedFile } from '../published-file.ts';
import { abortOnSignal } from '../signals.ts';

export type ExportOptions = JsonOptions & {
  format: 'parquet' | 'csv' | 'ndjson';
  table: string;
  sinceSeq?: number;
  out: string;
  file?: string;
};

/**
 * `vodhouse export`: writes the rows of one published table, as fast as the file or the reader takes them. A file appears when it
 * is complete. Returns the exit code.
 */
export async function exportTable(options: ExportOptions): Promise<number> {
  const { table, sinceSeq = null, out, json } = options;
  if (out === '-' && json)
    throw new ConfigError('--json and --out - would both write to stdout', { hint: 'name a file' });
  const { file, warehouse, lakes } = findPublishedFile(options, 'vodhouse export');
  const own = warehouse === null ? [file] : [warehouse, file];
  const path = out === '-' ? null : resolveExportFile(out, options.config, { own, lakes });
  const source = openExport({ file, table, sinceSeq });
  try {
    const pieces = toPieces(source, options.format);
    if (path === null) await pipeline(Readable.from(pieces), process.stdout, { end: false });
    else await writeFile(path, pieces);
    report(source, options);
    return EXIT.done;
  } finally {
    source.close();
  }
}

function toPieces(source: Export, format: ExportOptions['format']): Iterable<string | Uint8Array> {
  const { columns } = source;
  if (format === 'parquet') return source.parquet();
  if (format === 'ndjson') return inChunks(ndjson(columns, source.rows()));
  return inChunks(queryCsv({ columns: columns.map(({ name }) => name), rows: source.rows() }));
}

/** Throws VodhouseError if the file cannot be written, InterruptedError at SIGINT and SIGTERM; then it is as before. */
async function writeFile(out: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
  const existing = statSync(out, { throwIfNoEntry: false });
  const { signal } = abortOnSignal('stopping; nothing is exported');
  removeStaleDrafts(out);
  const draft = draftPath(out);
  try {
    await pipeline(Readable.from(pieces), createWriteStream(draft, { flush: true }), { signal });
    if (existing) chmodSync(draft, existing.mode);
    renameSync(draft, out);
  } catch (error) {
    removeDraft(draft);
    if (signal.aborted) throw signal.reason instanceof InterruptedError ? signal.reason : error;
    if (errorCode(error) === '' || error instanceof VodhouseError) throw error;
    throw new VodhouseError(`${out} cannot be written: ${errorMessage(error)}`, {
      hint: 'is the folder there, and is there room?',
      cause: error,
    });
  }
}

/** To stderr, because stdout may carry the rows. */
function report(source: Export, { format, table, sinceSeq, out, json }: ExportOptions): void {
  const rows = source.getCount();
  const sizeBytes = out === '-' ? null : statSync(resolve(out)).size;
  const { change_seq: changeSeq } = source.facts;
  if (json) {
    const document = {
      ...source.facts,
      since_seq: sinceSeq ?? null,
      format,
      file: resolve(out),
      rows,
      size_bytes: sizeBytes,
    };
    process.stdout.write(formatJson(document));
    return;
  }
  const where = sizeBytes === null ? '' : ` to ${out} (${formatBytes(sizeBytes)})`;
  const next = source.isFollowable ? `; what changes from now on: --since-seq ${changeSeq}` : '';
  process.stderr.write(`wrote ${pluralize(rows, 'row')} of ${table}${where}${next}\n`);
}
