import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { buildOpenApi, type OpenApiOptions } from '../../../src/service/server/openapi.ts';
import { readStorageQuery, readVideoQuery } from '../../../src/service/server/query.ts';
import { expectDescribed } from '../../support/openapi-document.ts';
import { listBody, storageRecord, videoRecord } from '../../support/fixtures/service-responses.ts';

const VIDEOS = '/info/v1/videos.json';
const STORAGE = '/report/stats/video/storage';
const SIZES = { defaultPageSize: 20, maxPageSize: 1000 };

type Tree = Record<string, unknown>;

interface Parameter {
  name: string;
  required: boolean;
  description: string;
  schema: { type: string; enum?: string[]; format?: string; default?: unknown };
}

const createDocument = (options: Partial<OpenApiOptions> = {}) =>
  JSON.parse(
    JSON.stringify(buildOpenApi({ version: '1.2.3', keyed: true, keyHeaders: [], ...SIZES, ...options })),
  ) as Tree & { paths: Record<string, { get: { parameters: Parameter[] } }> };

const listParameters = (path: string, document = createDocument()) =>
  document.paths[path]?.get.parameters ?? [];
const findParameter = (path: string, name: string) =>
  listParameters(path).find((parameter) => parameter.name === name);

describe('the OpenAPI document', () => {
  it.each([
    ['without keys', { keyed: false }],
    ['with keys, also in headers of accounts', { keyHeaders: ['x-main-key', 'x-$other'] }],
  ])('of a server %s has no problem for the linter', async (_which, options) => {
    const config = await createConfig({ extends: ['recommended'] });
    const source = JSON.stringify(createDocument(options));
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('describes where a key may be, where one is required', () => {
    const listPlaces = (keyed: boolean) => {
      const { components, security } = createDocument({ keyed, keyHeaders: ['x-main-key'] });
      const schemes = (components as { securitySchemes?: Record<string, Tree> }).securitySchemes ?? {};
      expect(security).toEqual(Object.keys(schemes).map((name) => ({ [name]: [] })));
      return Object.values(schemes).map((scheme) => scheme.name ?? scheme.scheme);
    };
    expect(listPlaces(true)).toEqual(['key', 'bearer', 'x-api-key', 'x-main-key']);
    expect(listPlaces(false)).toEqual([]);
  });
});

describe('the described parameters', () => {
  it('are those of docs/service.md 4.1 and 4.2 without the key, with the same requirements', () => {
    const shorten = ({ name, required, schema }: Parameter) =>
      `${name}${required ? '!' : ''}: ${schema.format === 'date' ? 'date' : schema.type}`;
    expect(listParameters(VIDEOS).map(shorten)).toEqual([
      'pkg!: integer',
      'search_item: string',
      'keyword: string',
      'sort_item: string',
      'sort_direction: string',
      'pagesize: integer',
      'page: integer',
    ]);
    expect(listParameters(STORAGE).map(shorten)).toEqual([
      'sdate!: date',
      'edate!: date',
      'sort_direction: string',
    ]);
  });

  it('have the defaults of the server', () => {
    const read = readVideoQuery({ pkg: '1' }, SIZES);
    if (!('query' in read)) throw new Error(read.problem);
    const { sort, page, pageSize } = read.query;
    const getDefault = (name: string) => findParameter(VIDEOS, name)?.schema.default;
    expect(['sort_item', 'sort_direction', 'page', 'pagesize'].map(getDefault)).toEqual([
      sort.item,
      sort.direction,
      page,
      pageSize,
    ]);
    const days = readStorageQuery({ sdate: '2026-01-01', edate: '2026-01-02' });
    if (!('range' in days)) throw new Error(days.problem);
    expect(findParameter(STORAGE, 'sort_direction')?.schema.default).toBe(days.range.direction);
  });

  it('list exactly the values that the server accepts', () => {
    for (const { name, schema } of listParameters(VIDEOS).filter((parameter) => parameter.schema.enum)) {
      const problems = schema.enum?.map((value) => readVideoQuery({ pkg: '1', [name]: value }, SIZES));
      expect(problems?.filter((read) => 'problem' in read)).toEqual([]);
      expect(readVideoQuery({ pkg: '1', [name]: 'other' }, SIZES)).toHaveProperty('problem');
    }
  });
});

describe('a response', () => {
  const list = (record: Tree) => JSON.parse(listBody({ records: [record] })) as { videoInfoList: Tree };
  const described =
    (body: unknown, path = VIDEOS, status = 200) =>
    () =>
      expectDescribed(path, status, body);
  const days = (...records: Tree[]) => ({ message: 'success', data: { list: records } });

  it('is valid as documented, with null in every field except the id, and with further fields', () => {
    const { id, ...others } = videoRecord(1);
    const empty = Object.fromEntries(Object.keys(others).map((name) => [name, null]));
    expect(
      described(list({ id, ...empty, later: { more: 1 } }), `/accounts/one${VIDEOS}?pkg=1`),
    ).not.toThrow();
    expect(described(days({ ...storageRecord('2026-01-31'), mov_org_size: null }), STORAGE)).not.toThrow();
    expect(described({ error: 'internal error' }, STORAGE, 500)).not.toThrow();
  });

  it.each([
    ['a number for a title', list(videoRecord(1, { title: 7 }))],
    ['a figure that is no whole number', list(videoRecord(1, { duration: 1.5 }))],
    ['a figure that is not exact', list(videoRecord(1, { filesize: 2 ** 60 }))],
    ['no id', list(videoRecord(1, { id: null }))],
    ['no title', list(videoRecord(1, { title: undefined }))],
    ['an unknown errorCode', JSON.parse(listBody({ errorCode: 'Restricted' }))],
    ['no paging', { videoInfoList: { ...list(videoRecord(1)).videoInfoList, paging: undefined } }],
  ])('is invalid with %s', (_what, body: unknown) => {
    expect(described(JSON.parse(JSON.stringify(body)))).toThrow(/is not as VideoListAnswer describes it/);
  });

  it('is invalid with an invalid day, or for an undocumented path', () => {
    expect(described(days(storageRecord('2026-02-30')), STORAGE)).toThrow(
      /is not as StorageAnswer describes it/,
    );
    expect(described({}, '/other')).toThrow('no body is described for /other with HTTP 200');
  });
});
