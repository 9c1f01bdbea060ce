/** A client in TypeScript that openapi-typescript generated from `/openapi.json`: it compiles, and reads both operations. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { openSite } from '../support/servers/open-web-server.ts';

const KEY = 'server-key-of-20-char';
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

const CLIENT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './service.js';

type Video = components['schemas']['VideoRecord'];

export async function readBoth(baseUrl: string, headers: Record<string, string>) {
  const client = createClient<paths>({ baseUrl, headers });
  const query = { pkg: 104, pagesize: 2, sort_item: 'id', sort_direction: 'asc' } as const;
  const videos = await client.GET('/info/v1/videos.json', { params: { query } });
  if (!videos.data) throw new Error(videos.error.error);
  const { errorInfo, paging, videoInfoList } = videos.data.videoInfoList;
  const list: Video[] = videoInfoList;

  const storage = await client.GET('/report/stats/video/storage', {
    params: { query: { sdate: '2026-03-01', edate: '2026-03-31' } },
  });
  if (!storage.data) throw new Error(storage.error.error);
  const days = storage.data.data.list.map(({ date, mov_org_size }) => [date, mov_org_size]);
  return {
    rejected: errorInfo.errorCode === 'InvalidKey',
    totalcount: paging.totalcount.toFixed(),
    videos: list.map(({ id, title, series }) => [id, title?.slice(0, 7), series?.length ?? null]),
    days,
  };
}
`;

interface Client {
  readBoth: (baseUrl: string, headers: Record<string, string>) => Promise<unknown>;
}

/** Generates the types and compiles the client with them. Returns its path, and what the compiler says. */
async function compileClient(url: string, client = CLIENT) {
  const folder = temporaryFolder();
  symlinkSync(MODULES, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const types = astToString(await openapiTypescript(new URL(`${url}/openapi.json`)));
  writeFileSync(join(folder, 'service.ts'), types);
  writeFileSync(join(folder, 'client.ts'), client);
  const program = ts.createProgram([join(folder, 'client.ts')], {
    strict: true,
    noUncheckedIndexedAccess: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
  });
  program.emit();
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  return { path: join(folder, 'client.js'), problems };
}

describe('a client generated from /openapi.json', () => {
  it('compiles, and reads both operations with a key in any header', async () => {
    const { url } = await openSite([KEY]);
    const { path, problems } = await compileClient(url);
    expect(problems).toEqual([]);
    const { readBoth } = (await import(pathToFileURL(path).href)) as Client;
    const read = {
      rejected: false,
      totalcount: '60',
      videos: [
        [1, 'main 1 ', null],
        [2, 'main 2 ', null],
      ],
      days: [['2026-03-08', 1_000]],
    };
    for (const headers of [{ authorization: `Bearer ${KEY}` }, { 'x-api-key': KEY }, { 'x-main-key': KEY }]) {
      expect(await readBoth(`${url}/accounts/main`, headers)).toEqual(read);
    }
    expect(await readBoth(`${url}/accounts/main`, {})).toEqual({
      rejected: true,
      totalcount: '0',
      videos: [],
      days: [],
    });
  });

  it('does not compile with a parameter or a field that there is not', async () => {
    const { url } = await openSite([KEY]);
    const { problems } = await compileClient(
      url,
      CLIENT.replace('pkg: 104', 'package: 104')
        .replace('mov_org_size }', 'size }')
        .replace("'InvalidKey'", "'WrongKey'"),
    );
    expect(problems.join('\n')).toMatch(/'pkg' is missing/);
    expect(problems.join('\n')).toMatch(/'"WrongKey"' have no overlap/);
  });
});
