import { chmodSync, createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { draftPath, removeDraft, removeStaleDrafts } from '../../database/draft-files.ts';
import { readHeader, resolveLink } from '../../database/files.ts';
import { ConfigError, errorCode, errorMessage, VodhouseError } from '../../lib/errors.ts';
import { formatBytes, pluralize } from '../../lib/format.ts';
import { openExports, type Export } from '../../publishing/export.ts';
import { queryCsv } from '../../publishing/query-published.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXPORT_FORMATS } from '../parse-args.ts';
import { formatJson } from '../output/output.ts';
import { inChunks, ndjson } from '../output/query-text.ts';
import { findPublishedFile } from '../requirements.ts';
import { abortOnSignal } from '../signals.ts';

type Format = (typeof EXPORT_FORMATS)[number];

export type ExportOptions = JsonOptions & {
  /** If it is left out, the ending of `out` is the format. */
  format?: Format;
  table?: string;
  /** Every table is exported, into the folder `out`. */
  all?: true;
  out: string;
  file?: string;
};

/**
 * `vodhouse export`: writes the rows of one published table, or of each, to files or to stdout. A file
 * appears when it is complete.
 */
export async function exportTables(options: ExportOptions): Promise<void> {
  const { table = 'videos', all, out, json } = options;
  const format = getFormat(options);
  if (out === '-' && (json || all))
    throw new ConfigError('--out -: stdout has room for one table, and then for no document of --json', {
      hint: 'name a file; with --all, a folder',
    });
  const exports = openExports(findPublishedFile(options));
  const signal =
    out === '-' ? null : abortOnSignal('stopping; a file that is not complete is not exported').signal;
  try {
    if (all) mkdirSync(out, { recursive: true });
    const documents: object[] = [];
    for (const name of all ? exports.tables : [table]) {
      const source = exports.open(name);
      const target = all ? join(out, `${name}.${format}`) : out;
      const pieces = Readable.from(toPieces(source, format));
      if (signal === null) await pipeline(pieces, process.stdout, { end: false });
      else await writeFile(resolveExportFile(target, options.config), pieces, signal);
      documents.push(report(source, { ...options, format }, target));
    }
    if (json) process.stdout.write(formatJson(all ? documents : documents[0]));
  } finally {
    exports.close();
  }
}

/** The format of `--format`, else that of the file's ending. Throws ConfigError if neither names one. */
function getFormat({ format, all, out }: ExportOptions): Format {
  const ending = all ? '' : extname(out).toLowerCase();
  const found = format ?? EXPORT_FORMATS.find((each) => ending === `.${each}`);
  if (found !== undefined) return found;
  throw new ConfigError(`--out ${out} names no format`, {
    hint: 'add --format parquet, csv or ndjson; or name a file that ends in .parquet, .csv or .ndjson',
  });
}

function toPieces(source: Export, format: Format): Iterable<string> | AsyncIterable<Uint8Array> {
  const { columns } = source;
  if (format === 'parquet') return source.parquet();
  if (format === 'ndjson') return inChunks(ndjson(columns, source.rows()));
  return inChunks(queryCsv({ columns: columns.map(({ name }) => name), rows: source.rows() }));
}

/** Throws VodhouseError if the file cannot be written, InterruptedError at a signal; it stays as it was. */
async function writeFile(out: string, pieces: Readable, signal: AbortSignal): Promise<void> {
  const existing = statSync(out, { throwIfNoEntry: false });
  removeStaleDrafts(out);
  const draft = draftPath(out);
  try {
    await pipeline(pieces, createWriteStream(draft, { flush: true }), { signal });
    if (existing) chmodSync(draft, existing.mode);
    renameSync(draft, out);
  } catch (error) {
    removeDraft(draft);
    signal.throwIfAborted();
    if (errorCode(error) === '' || error instanceof VodhouseError) throw error;
    throw new VodhouseError(`${out} cannot be written: ${errorMessage(error)}`, {
      hint: 'is the folder there, and is there room?',
      cause: error,
    });
  }
}

/** Returns what was exported for `--json`. Without it, prints a line to stderr: stdout may have the rows. */
function report(source: Export, { format, json }: ExportOptions, out: string): object {
  const rows = source.getCount();
  const sizeBytes = out === '-' ? null : statSync(out).size;
  if (!json) {
    const where = sizeBytes === null ? '' : ` to ${out} (${formatBytes(sizeBytes)})`;
    process.stderr.write(`wrote ${pluralize(rows, 'row')} of ${source.table}${where}\n`);
  }
  const file = resolve(out);
  return { ...source.facts, format, file, rows, size_bytes: sizeBytes };
}

/**
 * The path of the file that `--out` leads to. Throws ConfigError for one that an export must never replace: a
 * database, which this process must not have open, the log of one, the config, a `.env`, and what is no file.
 */
export function resolveExportFile(out: string, config: string): string {
  const path = resolveLink(resolve(out));
  const existing = statSync(path, { throwIfNoEntry: false });
  const isOurs = path === resolveLink(resolve(config)) || /^\.env$|-wal$|-shm$/.test(basename(path));
  const isDatabase = existing?.isFile() === true && readHeader(path) !== null;
  if (!isOurs && !isDatabase && (!existing || existing.isFile())) return path;
  throw new ConfigError(
    `${out} is a database, a file of vodhouse or no file: an export does not replace it`,
    {
      hint: 'name another file, or - for stdout; nothing was changed',
    },
  );
}
