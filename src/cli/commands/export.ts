import { chmodSync, createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { draftPath, removeDraft, removeStaleDrafts } from '../../database/draft-files.ts';
import { readHeader, resolveLink } from '../../database/files.ts';
import { ConfigError, errorCode, errorMessage, InterruptedError, VodhouseError } from '../../lib/errors.ts';
import { formatBytes, pluralize } from '../../lib/format.ts';
import { openExports, type Export } from '../../publishing/export.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { queryCsv } from '../../publishing/query-published.ts';
import { inChunks, ndjson } from '../output/query-text.ts';
import { findPublishedFile } from '../published-file.ts';
import { abortOnSignal } from '../signals.ts';

export type ExportOptions = JsonOptions & {
  format: 'parquet' | 'csv' | 'ndjson';
  table?: string;
  /** Every table, into the folder `out`. */
  all?: true;
  sinceSeq?: number;
  out: string;
  file?: string;
};

/**
 * `vodhouse export`: writes the rows of one published table, or of each, as fast as the file or the reader takes them. A file appears
 * when it is complete. Returns the exit code.
 */
export async function exportTable(options: ExportOptions): Promise<number> {
  const { table = 'videos', all, sinceSeq = null, out, json } = options;
  if (out === '-' && (json || all))
    throw new ConfigError(
      `--out - has one table on stdout, and ${json ? '--json is there too' : '--all has more'}`,
      {
        hint: 'name a file; with --all, a folder',
      },
    );
  const { file, warehouse } = findPublishedFile(options, 'vodhouse export');
  const own = warehouse === null ? [file] : [warehouse, file];
  const toPath = (name: string) => resolveExportFile(name, options.config, own);
  const exports = openExports(file);
  const signal =
    out === '-' ? null : abortOnSignal('stopping; a file that is not complete is not exported').signal;
  try {
    if (all) mkdirSync(out, { recursive: true });
    const names = all ? exports.tables : [table];
    const documents: object[] = [];
    for (const name of names) {
      const source = exports.open(name, sinceSeq);
      const target = all ? join(out, `${name}.${options.format}`) : out;
      const pieces = toPieces(source, options.format);
      if (signal === null) await pipeline(Readable.from(pieces), process.stdout, { end: false });
      else await writeFile(toPath(target), pieces, signal);
      documents.push(report(source, options, target));
    }
    if (json) process.stdout.write(formatJson(all ? documents : documents[0]));
    return EXIT.done;
  } finally {
    exports.close();
  }
}

function toPieces(source: Export, format: ExportOptions['format']): Iterable<string | Uint8Array> {
  const { columns } = source;
  if (format === 'parquet') return source.parquet();
  if (format === 'ndjson') return inChunks(ndjson(columns, source.rows()));
  return inChunks(queryCsv({ columns: columns.map(({ name }) => name), rows: source.rows() }));
}

/** Throws VodhouseError if the file cannot be written, InterruptedError at SIGINT and SIGTERM; then it is as before. */
async function writeFile(
  out: string,
  pieces: Iterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const existing = statSync(out, { throwIfNoEntry: false });
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

/** A line on stderr, because stdout may carry the rows; or a document for `--json`. */
function report(source: Export, { format, sinceSeq, json }: ExportOptions, out: string): object {
  const rows = source.getCount();
  const sizeBytes = out === '-' ? null : statSync(resolve(out)).size;
  if (!json) {
    const where = sizeBytes === null ? '' : ` to ${out} (${formatBytes(sizeBytes)})`;
    const next = source.isFollowable
      ? `; what changes from now on: --since-seq ${source.facts.change_seq}`
      : '';
    process.stderr.write(`wrote ${pluralize(rows, 'row')} of ${source.table}${where}${next}\n`);
  }
  const file = resolve(out);
  return { ...source.facts, since_seq: sinceSeq ?? null, format, file, rows, size_bytes: sizeBytes };
}

/** What vodhouse keeps next to its files. */
const COMPANION = /(?:-wal|-shm|-journal|\.lock|\.holder|\.restoring)$/;

/**
 * The path that `--out` leads to. Throws ConfigError for what an export must never replace: a database (the process must not have
 * it open), what belongs to one, the config, its secrets, and `own`, the files that it names.
 */
export function resolveExportFile(out: string, config: string, own: readonly string[]): string {
  const path = resolveLink(resolve(out));
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) throw refuse(out, 'is no file');
  const files = [config, join(dirname(config), '.env'), ...own].map((file) => resolveLink(resolve(file)));
  const isOurs = files.includes(path) || COMPANION.test(basename(path)) || basename(path) === '.env';
  if (isOurs) throw refuse(out, 'belongs to vodhouse');
  if (existing && readHeader(path) !== null) throw refuse(out, 'is a database');
  return path;
}

const refuse = (out: string, why: string) =>
  new ConfigError(`${out} ${why}: an export does not replace it`, {
    hint: 'name another file, or - for stdout; nothing was changed',
  });
