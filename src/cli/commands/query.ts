import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { openPublishedFile, queryCsv, type QueryResult } from '../../publishing/query-published.ts';
import type { JsonOptions } from '../command-context.ts';
import { inChunks, queryJson, queryTable } from '../output/query-text.ts';
import { findPublishedFile } from '../requirements.ts';

export type QueryOptions = JsonOptions & { csv?: true; file?: string };

/**
 * `vodhouse query SQL`: prints the result of one select on the published file. `-` reads the SQL from stdin.
 * CSV and JSON are written row by row, as fast as the next program reads them.
 */
export async function query(sql: string, options: QueryOptions): Promise<void> {
  const published = openPublishedFile(findPublishedFile(options));
  try {
    const result = published.query(sql === '-' ? await text(process.stdin) : sql);
    if (options.csv) await writeLines(queryCsv(result));
    else if (options.json) await writeLines(queryJson(result));
    else writeTable(result);
  } finally {
    published.close();
  }
}

function writeTable(result: QueryResult): void {
  const { text: table, isCut } = queryTable(result);
  process.stdout.write(table);
  if (isCut) process.stderr.write('there are more rows; --csv and --json print all of them\n');
}

async function writeLines(lines: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(inChunks(lines)), process.stdout, { end: false });
}
