/** The OpenAPI document of the server, made from the schemas of its queries and responses. */
import * as z from 'zod';
import { storageFigures, STORAGE_PATH, storageRecord, storageStatus } from '../storage.ts';
import { errorInfo, paging, searchOption, VIDEO_LIST_PATH, videoRecord } from '../videos.ts';
import { API_ERRORS } from './catalogue.ts';
import { FIRST_PAGE, storageParameters, videoParameters, type PageSizes } from './query.ts';

export interface OpenApiOptions extends PageSizes {
  version: string;
  /** A key is required. */
  keyed: boolean;
  /** Names of headers that may have the key, besides `authorization` and `x-api-key`. */
  keyHeaders: readonly string[];
}

/** A JSON schema (draft 2020-12), as OpenAPI 3.1 takes it. */
type JsonSchema = z.core.JSONSchema.BaseSchema;
type Properties = Record<string, JsonSchema>;

const INTRODUCTION = [
  'The two operations of the video-hosting service, with the same paths, parameters and responses.',
  'Below /accounts/NAME they answer for that account alone, where a package is one of several accounts.',
  '"Not documented" is what the description of the service does not say.',
  'A rejected request has HTTP 200 and an empty list; errorCode or message say why.',
  'A parameter that is empty counts as left out, of one that is given twice the first counts,',
  'and others are ignored.',
].join(' ');

const CODES = Object.entries(API_ERRORS).map(([code, meaning]) => `${code}: ${meaning}`);

/** Lists and rejections have one schema: a client reads `errorCode` or `message` first. */
const SCHEMAS: Properties = {
  VideoRecord: toObject(
    'A video. It may have further fields, as the service sent them',
    toNullable(toProperties(videoRecord.shape)),
  ),
  VideoListAnswer: toObject('The response of the video list', {
    videoInfoList: toObject('One page of the videos of a package', {
      apiVideoSearchOption: toObject(
        'Echo of the search and sort parameters; empty where unused',
        toProperties(searchOption.shape),
      ),
      videoInfoList: toList('The videos of the page', 'VideoRecord'),
      errorInfo: toObject('Whether the list succeeded', {
        ...toProperties(errorInfo.shape),
        errorCode: {
          type: 'string',
          enum: ['None', ...Object.keys(API_ERRORS)],
          description: `None without an error. ${CODES.join('; ')}`,
        },
      }),
      paging: toObject('Position of the page; zeros if rejected', toProperties(paging.shape)),
    }),
  }),
  StorageRecord: toObject('The figures of one day', {
    ...toNullable(toProperties(storageFigures)),
    ...toProperties({ date: storageRecord.shape.date }),
  }),
  StorageAnswer: toObject('The response of the storage statistics', {
    ...toProperties(storageStatus.shape),
    data: toObject('The records', { list: toList('One record a known day', 'StorageRecord') }),
  }),
  ServerError: toObject('An error of the server, other than a rejected request', {
    error: { type: 'string', description: 'What is wrong, in words' },
  }),
};

/**
 * The OpenAPI 3.1 document of both operations (docs/service.md 2, 4, 5, 7), as a plain object for
 * `/openapi.json`.
 */
export function buildOpenApi(options: OpenApiOptions): object {
  const { version, keyed, keyHeaders, defaultPageSize, maxPageSize } = options;
  const securitySchemes = keyed ? listKeyPlaces(['x-api-key', ...keyHeaders]) : {};
  const listVideos = {
    operationId: 'listVideos',
    summary: 'List the videos of a distribution package',
    parameters: toParameters(videoParameters, {
      page: { default: FIRST_PAGE },
      pagesize: { default: defaultPageSize, maximum: maxPageSize },
    }),
    responses: toResponses('VideoListAnswer'),
  };
  const readStorage = {
    operationId: 'readStorage',
    summary: 'Read the storage usage of each date of a range',
    parameters: toParameters(storageParameters, {}),
    responses: toResponses('StorageAnswer'),
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'vodhouse',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    },
    servers: [{ url: '/', description: 'The server that sends this document' }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })), // any one of them is enough
    paths: { [VIDEO_LIST_PATH]: { get: listVideos }, [STORAGE_PATH]: { get: readStorage } },
    components: { schemas: SCHEMAS, ...(keyed && { securitySchemes }) },
  };
}

/** Where a request may carry its key, by names that a document allows. */
function listKeyPlaces(headers: readonly string[]): Record<string, object> {
  const inHeaders = headers.map((name, index) => [
    `headerKey${index + 1}`,
    { type: 'apiKey', in: 'header', name },
  ]);
  return {
    queryKey: { type: 'apiKey', in: 'query', name: 'key' },
    bearerKey: { type: 'http', scheme: 'bearer' },
    ...(Object.fromEntries(inHeaders) as Record<string, object>),
  };
}

/** `more`: keywords by parameter; zod drops the default of a schema that transforms. */
function toParameters({ shape }: z.ZodObject<Record<string, z.ZodType>>, more: Properties): object[] {
  return Object.entries(toProperties(shape)).map(([name, { description, ...schema }]) => {
    const required = !shape[name]?.safeParse(undefined).success;
    return { name, in: 'query', required, description, schema: { ...schema, ...more[name] } };
  });
}

/** The statuses: 4XX for what cannot be read, and 429; 5XX. */
function toResponses(schema: string): object {
  const content = (name: string) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
  });
  return {
    200: { description: 'The answer, or why the request is rejected', content: content(schema) },
    '4XX': { description: 'The request cannot be read or is refused', content: content('ServerError') },
    '5XX': { description: 'The server failed or is busy', content: content('ServerError') },
  };
}

/** The server always sends all members, and may send others. */
function toObject(description: string, properties: Properties): JsonSchema {
  const required = Object.keys(properties);
  return { type: 'object', description, properties, required, additionalProperties: {} };
}

function toList(description: string, record: string): JsonSchema {
  return { type: 'array', description, items: { $ref: `#/components/schemas/${record}` } };
}

function toProperties(shape: Readonly<Record<string, z.ZodType>>): Properties {
  return (z.toJSONSchema(z.object(shape), { io: 'input' }).properties ?? {}) as Properties;
}

/** Any field of a record but its id may be null. */
function toNullable(properties: Properties): Properties {
  const entries = Object.entries(properties).map(([name, schema]) =>
    name === 'id' ? [name, schema] : [name, { ...schema, type: [schema.type, 'null'] }],
  );
  return Object.fromEntries(entries) as Properties;
}
