import { describe, expect, it } from 'vitest';
import { buildOpenApi, type OpenApiOptions } from '../../../src/service/server/openapi.ts';
import { readStorageQuery, readVideoQuery } from '../../../src/service/server/query.ts';
import { compileSchemas, expectDescribed, type Document } from '../../support/openapi-document.ts';
import { listBody, storageRecord, videoRecord } from '../../support/fixtures/service-responses.ts';

const VIDEOS = '/info/v1/videos.json';
const STORAGE = '/report/stats/video/storage';
const SIZES = { defaultPageSize: 20, maxPageSize: 1000 };

const createDocument = (options: Partial<OpenApiOptions> = {}) =>
  JSON.parse(
    JSON.stringify(buildOpenApi({ version: '1.2.3', keyed: true, keyHeaders: [], ...SIZES, ...options })),
  ) as Tree;

type Tree = Record<string, unknown>;

/** Every object of a document with its JSON pointer. */
function listObjects(value: unknown, at = '#'): [at: string, object: Tree][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, each]) => listObjects(each, `${at}/${escaped(name)}`));
  return Array.isArray(value) ? inner : [[at, value as Tree], ...inner];
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: { type: string; enum?: string[]; format?: string; default?: unknown; minimum?: number };
}

interface Operation {
  operationId: string;
  tags: string[];
  description: string;
  parameters: Parameter[];
  responses: Record<string, Tree>;
}

const listOperations = (document: Tree) =>
  Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );

const listParameters = (path: string, document = createDocument()) =>
  listOperations(document).find((operation) => operation.path === path)?.parameters ?? [];

const findParameter = (path: string, name: string) =>
  listParameters(path).find((parameter) => parameter.name === name);

describe.each([true, false])('the OpenAPI document, with API keys: %s', (keyed) => {
  const document = createDocument({ keyed });
  const objects = listObjects(document);
  const operations = listOperations(document);

  it('is of OpenAPI 3.1, with a title, a version and the two operations', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'vodhouse', version: '1.2.3' });
    expect(operations.map(({ path, operationId }) => [path, operationId])).toEqual([
      [VIDEOS, 'listVideos'],
      [STORAGE, 'readStorage'],
    ]);
  });

  it('has no dangling and no unused references', () => {
    const pointers = new Set(objects.map(([at]) => at));
    const referred = new Set(objects.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    expect([...referred].filter((pointer) => !pointers.has(pointer))).toEqual([]);
    const parts = [...pointers].filter((at) =>
      /^#\/components\/(schemas|headers|responses)\/[^/]+$/.test(at),
    );
    expect(parts.filter((at) => !referred.has(at))).toEqual([]);
    expect(parts.length).toBeGreaterThan(15);
  });

  it('describes every parameter, response, header and field in sentences', () => {
    const parameters = operations.flatMap((operation) => operation.parameters);
    expect(parameters.filter(({ schema }) => typeof schema.type !== 'string')).toEqual([]);
    const responses = objects.filter(([at]) => /\/responses\/[^/]+$/.test(at)).map(([, object]) => object);
    const headers = objects
      .filter(([at]) => /^#\/components\/headers\/[^/]+$/.test(at))
      .map(([, object]) => object);
    const fields = objects.filter(([at]) => /\/properties\/[^/]+$/.test(at)).map(([, object]) => object);
    expect(fields.length).toBeGreaterThan(50);
    const described = [...parameters, ...responses, ...headers, ...fields] as Tree[];
    const poor = described.filter(({ $ref, description }) => !$ref && !/^\S.*\.$/.test(String(description)));
    expect(poor).toEqual([]);
  });

  it('names each parameter of an operation once, and no undefined value', () => {
    for (const { parameters } of operations) {
      expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length);
    }
    const holes = listObjects(
      buildOpenApi({ version: '1', keyed, keyHeaders: ['x-main-key'], ...SIZES }),
    ).filter(([, object]) => Object.values(object).includes(undefined));
    expect(holes).toEqual([]);
  });

  it('has schemas that are understood, each by its name', () => {
    expect(Object.keys(compileSchemas(document as unknown as Document))).toContain('VideoRecord');
  });

  it('describes the responses of the service and those of the server itself', () => {
    for (const { responses } of operations) {
      expect(Object.keys(responses)).toEqual([
        '200',
        '304',
        '400',
        '403',
        '404',
        '408',
        '429',
        '431',
        '500',
        '503',
      ]);
    }
  });

  it('describes where a key may be, where one is required', () => {
    const other = createDocument({ keyed, keyHeaders: ['x-main-key'] });
    const schemes = (other.components as { securitySchemes?: Record<string, Tree> }).securitySchemes;
    const names = keyed ? ['queryKey', 'bearerKey', 'headerKey', 'accountHeaderKey1'] : [];
    expect(other.security).toEqual(names.map((name) => ({ [name]: [] })));
    expect(Object.keys(schemes ?? {})).toEqual(names);
    const places = Object.values(schemes ?? {}).map((scheme) => scheme.name ?? scheme.scheme);
    expect(places).toEqual(keyed ? ['key', 'bearer', 'x-api-key', 'x-main-key'] : []);
  });

  it('has a server, a license, a contact, and a described tag of each operation', () => {
    expect(document.servers).toMatchObject([{ url: '/' }]);
    expect(document.info).toMatchObject({ license: { name: 'MIT' }, contact: {} });
    expect(document.tags).toMatchObject([{ name: 'videos' }, { name: 'storage' }]);
    expect(operations.map(({ tags }) => tags)).toEqual([['videos'], ['storage']]);
  });
});

describe('the described parameters', () => {
  it('are those of docs/service.md 4.1 and 4.2 without the key, with the same requirements', () => {
    const shorten = ({ name, in: place, required, schema }: Parameter) =>
      `${place} ${name}${required ? '!' : ''}: ${schema.format === 'date' ? 'date' : schema.type}`;
    expect(listParameters(VIDEOS).map(shorten)).toEqual([
      'query pkg!: integer',
      'query search_item: string',
      'query keyword: string',
      'query sort_item: string',
      'query sort_direction: string',
      'query pagesize: integer',
      'query page: integer',
    ]);
    expect(listParameters(STORAGE).map(shorten)).toEqual([
      'query sdate!: date',
      'query edate!: date',
      'query sort_direction: string',
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

  it('have the page sizes of this server', () => {
    const pageSize = listParameters(VIDEOS, createDocument({ defaultPageSize: 7, maxPageSize: 70 })).find(
      ({ name }) => name === 'pagesize',
    );
    expect(pageSize?.schema.default).toBe(7);
    expect(pageSize?.description).toMatch(/ The default is 7, the largest 70\.$/);
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
    expect(described(list(videoRecord(1)))).not.toThrow();
    const { id, ...others } = videoRecord(1);
    const empty = Object.fromEntries(Object.keys(others).map((name) => [name, null]));
    expect(described(list({ id, ...empty, later: { more: 1 } }))).not.toThrow();
    expect(
      described(days({ ...storageRecord('2026-01-31'), mov_org_size: 4.4482871e7 }), STORAGE),
    ).not.toThrow();
    expect(described(days({ ...storageRecord('2026-01-31'), mov_org_size: null }), STORAGE)).not.toThrow();
  });

  it('is valid below the name of an account, and with a query', () => {
    expect(described(list(videoRecord(1)), `/accounts/one${VIDEOS}?pkg=1`)).not.toThrow();
  });

  it('is valid with the error of a server', () => {
    expect(described({ error: 'internal error' }, STORAGE, 500)).not.toThrow();
    expect(described({ message: 'internal error' }, STORAGE, 500)).toThrow('at error');
  });

  it.each([
    ['a number for a title', list(videoRecord(1, { title: 7 })), '[0].title'],
    ['a text for a figure', list(videoRecord(1, { filesize: '7' })), '[0].filesize'],
    ['a figure that is no whole number', list(videoRecord(1, { duration: 1.5 })), '[0].duration'],
    ['a figure that is not exact', list(videoRecord(1, { filesize: 2 ** 60 })), '[0].filesize'],
    ['no id', list(videoRecord(1, { id: null })), '[0].id'],
    ['no title', list(videoRecord(1, { title: undefined })), '[0].title'],
    ['an unknown errorCode', JSON.parse(listBody({ errorCode: 'Restricted' })), 'errorInfo.errorCode'],
    ['no paging', { videoInfoList: { ...list(videoRecord(1)).videoInfoList, paging: undefined } }, 'paging'],
  ])('is invalid with %s', (_what, body: unknown, at) => {
    expect(described(JSON.parse(JSON.stringify(body)))).toThrow(at);
  });

  it('is invalid with an invalid day, or without one of its figures', () => {
    expect(described(days(storageRecord('2026-02-30')), STORAGE)).toThrow('[0].date');
    const record = { ...storageRecord('2026-01-31'), image_size: undefined };
    expect(described(JSON.parse(JSON.stringify(days(record))), STORAGE)).toThrow('[0].image_size');
  });

  it('is invalid for an undocumented path', () => {
    expect(described({}, '/other')).toThrow('no body is described for /other with HTTP 200');
    expect(described({}, VIDEOS, 418)).toThrow('no body is described');
    expect(described({}, VIDEOS, 304)).toThrow('no body is described');
  });
});
