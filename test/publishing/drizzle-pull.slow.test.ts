import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createTableRelationsHelpers, extractTablesRelationalConfig, One } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, it } from 'vitest';
import { Database } from '../../src/database/sqlite.ts';
import { PARENTS } from '../../src/publishing/marts/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { KEYS, published, smallLiveFile } from '../support/fixtures/published-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { installNode } from '../support/processes/other-node.ts';

/** What drizzle-kit makes of a name. */
const toCamelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const toTexts = (row: object) => Object.values(row).map(String);

/** Pulls the schema of a file. Returns what the modules export that drizzle-kit wrote: tables, views and relations. */
async function pull(file: string): Promise<Record<string, unknown>> {
  const folder = temporaryFolder();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const words = ['pull', '--dialect', 'sqlite', '--url', file, '--out', folder];
  // on Node 20, the better-sqlite3 that drizzle-kit loads ends with a segmentation fault
  execFileSync(installNode(22), [resolve('node_modules/drizzle-kit/bin.cjs'), ...words]);
  const schema = (await import(join(folder, 'schema.ts'))) as Record<string, unknown>;
  return { ...schema, ...((await import(join(folder, 'relations.ts'))) as Record<string, unknown>) };
}

it('the published file is pulled by drizzle-kit, with its views and relations', async () => {
  const { file, select } = await published(smallLiveFile());
  const pulled = await pull(file);
  const { tables } = extractTablesRelationalConfig(pulled, createTableRelationsHelpers);
  const client = new Database(file, { readonly: true });
  const db = drizzle(client);
  for (const mart of createMarts({ durationUnit: 'ms', exclude: KEYS }).all) {
    const name = toCamelCase(mart.name);
    const rows = db
      .select()
      .from(pulled[name] as SQLiteTable)
      .all();
    // drizzle-kit has no type for a flag and a time: it reads them as text
    const expected = select(`select * from ${mart.name}`);
    expect(rows.map(toTexts), mart.name).toEqual(expected.map(toTexts));
    if (mart.kind === 'view') continue;
    const relations = Object.values(tables[name]?.relations ?? {});
    const parents = relations.flatMap((each) =>
      each instanceof One ? [String(each.referencedTableName)] : [],
    );
    const expectedParents = (mart.foreignKeys ?? []).map((column) => PARENTS[column]);
    expect(parents.sort(), mart.name).toEqual(expectedParents.sort());
  }
  client.close();
});
