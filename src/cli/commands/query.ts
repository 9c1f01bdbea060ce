import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { loadConfigWithoutFiles } from '../../config/load.ts';
import { ConfigError } from '../../lib/errors.ts';
import { formatCount } from '../../lib/format.ts';
import { openPublishedFile, type QueryResult } from '../../publishing/query-published.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { MOST_TABLE_ROWS, queryCsv, queryJson, queryTable } from '../output/query-text.ts';

export type QueryOptions = JsonOptions & { csv?: true; file?: string };

/**
 * `vodhouse query SQL`: one select on the published file; `-` reads it from stdin. CSV and JSON are written row by row, as fast as
 * their reader takes them. Returns the exit code.
 */
export async function query(options: QueryOptions, sql: string): Promise<number> {
  const published = openPublishedFile(findFile(options));
  try {
    const result = published.query(sql === '-' ? await text(process.stdin) : sql);
    if (options.csv) await writeLines(queryCsv(result));
    else if (options.json) await writeLines(queryJson(result));
    else writeTable(result);
    return EXIT.done;
  } finally {
    published.close();
  }
}

function findFile({ file, config }: QueryOptions): string {
  if (file !== undefined) return resolve(file);
  const { publish } = loadConfigWithoutFiles(config).config;
  if (publish) return publish.file;
  throw new ConfigError(`${config} publishes nothing, and vodhouse query reads the published file`, {
    hint: 'add publish: { file: data/vodhouse.bi.db } to the config, then vodhouse publish',
  });
}

function writeTable(result: QueryResult): void {
  const { text: table, isCut } = queryTable(result);
  process.stdout.write(table);
  if (!isCut) return;
  process.stderr.write(
    `there are more than ${formatCount(MOST_TABLE_ROWS)} rows; --csv and --json print all of them\n`,
  );
}

/** So much is written at once. */
const CHUNK_CHARACTERS = 2 ** 16;

async function writeLines(lines: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(inChunks(lines)), process.stdout, { end: false });
}

function* inChunks(lines: Iterable<string>): Iterable<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
