/** The OpenAPI document of the server, made from the schemas of its queries and responses. */
import { STORAGE_PATH } from '../storage.ts';
import { VIDEO_LIST_PATH } from '../videos.ts';
import { EVERY_PARAMETER, OTHER_REQUESTS, formatUnspecified } from './unspecified-behaviour.ts';
import {
  answerSchemas,
  storageStatisticsParameters,
  videoListParameters,
  type OpenApiParameter,
} from './openapi-schemas.ts';
import type { PageSizes } from './query.ts';

export interface OpenApiOptions extends PageSizes {
  version: string;
  /** A key is required. */
  keyed: boolean;
  /** Names of headers that may have the key, besides `authorization` and `x-api-key`. */
  keyHeaders: readonly string[];
}

/** What an HTTP status other than 200 and 304 means; the body is `{ "error": string }`. */
const SERVER_ERRORS = {
  400: 'The request cannot be read.',
  403: 'The request names a host name that the server does not accept.',
  404: 'There is no such path.',
  408: 'The request did not arrive in time.',
  429: 'The client sent too many wrong keys.',
  431: 'The address and the headers are too long.',
  500: 'The server failed; its log says why.',
  503: 'The server has too many requests in progress.',
} as const;

const SECURITY_SCHEMES = {
  queryKey: { type: 'apiKey', in: 'query', name: 'key', description: 'The key as a query parameter.' },
  bearerKey: { type: 'http', scheme: 'bearer', description: 'The key as a bearer token.' },
  headerKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The key as a header.' },
} as const;

/** The schemes of all places of a key, by name. */
function securitySchemes(keyHeaders: readonly string[]): Record<string, object> {
  const others = keyHeaders.map((name, index) => [
    `accountHeaderKey${index + 1}`,
    { type: 'apiKey', in: 'header', name, description: 'The key as the header of an account.' },
  ]);
  return { ...SECURITY_SCHEMES, ...(Object.fromEntries(others) as Record<string, object>) };
}

/** Relative to the address of the document. A template below it, for `/accounts/NAME`, is no valid URL to Spectral. */
const SERVERS = [{ url: '/', description: 'The server that sends this document.' }] as const;

const CONTACT = { name: 'The operator of this server' } as const;

const LICENSE = { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' } as const;

const TAGS = {
  videos: { name: 'videos', description: 'The videos of a distribution package.' },
  storage: { name: 'storage', description: 'The storage usage of an account.' },
} as const;

const HEADERS = {
  etag: {
    description:
      'Tag of the response. A request with it in if-none-match gets 304 if the response is still the same.',
    schema: { type: 'string' },
  },
  age: {
    description:
      'Seconds since the data was read from the service; left out where the server is the service itself.',
    schema: { type: 'integer', minimum: 0 },
  },
  'retry-after': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
} as const;

const SERVER_ERROR = {
  type: 'object',
  description: 'An error of the server, other than a rejected request.',
  properties: { error: { type: 'string', description: 'What is wrong, in words.' } },
  required: ['error'],
} as const;

const INTRODUCTION = [
  'The two operations of the video-hosting service, with the same paths, parameters and responses.',
  'Below /accounts/NAME they answer for that account alone, where a package is one of several accounts.',
  '"Not documented" is what the description of the service does not say.',
  formatUnspecified(OTHER_REQUESTS),
].join(' ');

/** The OpenAPI 3.1 document of both operations (docs/service.md 2, 4, 5, 7), as a plain object for `/openapi.json`. */
export function buildOpenApi({ version, keyed, keyHeaders, ...sizes }: OpenApiOptions): object {
  const schemes = keyed ? securitySchemes(keyHeaders) : {};
  const listVideos = operation('VideoListAnswer', {
    tags: [TAGS.videos.name],
    operationId: 'listVideos',
    summary: 'List the videos of a distribution package',
    parameters: videoListParameters(sizes),
    answer: 'A page of videos, or a rejection: then `errorCode` is not `None` and the list is empty.',
  });
  const readStorage = operation('StorageAnswer', {
    tags: [TAGS.storage.name],
    operationId: 'readStorage',
    summary: 'Read the storage usage of each date of a range',
    parameters: storageStatisticsParameters(),
    answer: 'One record per day, or a rejection: then `message` is not `success` and the list is empty.',
  });
  return {
    openapi: '3.1.1',
    info: { title: 'vodhouse', version, description: INTRODUCTION, contact: CONTACT, license: LICENSE },
    servers: SERVERS,
    tags: Object.values(TAGS),
    security: Object.keys(schemes).map((name) => ({ [name]: [] })), // any one of them; none: no key
    paths: { [VIDEO_LIST_PATH]: { get: listVideos }, [STORAGE_PATH]: { get: readStorage } },
    components: {
      schemas: { ...answerSchemas, ServerError: SERVER_ERROR },
      headers: HEADERS,
      responses: responses(),
      ...(keyed && { securitySchemes: schemes }),
    },
  };
}

interface OperationDoc {
  tags: string[];
  operationId: string;
  summary: string;
  parameters: OpenApiParameter[];
  answer: string;
}

function operation(schema: string, { answer, ...named }: OperationDoc): object {
  const errors = Object.keys(SERVER_ERRORS).map((status) => [status, toResponse(status)]);
  return {
    ...named,
    description: formatUnspecified(EVERY_PARAMETER, 'a parameter'),
    responses: {
      200: { description: answer, headers: headers('etag', 'age'), content: json(schema) },
      304: toResponse('304'),
      ...(Object.fromEntries(errors) as Record<string, object>),
    },
  };
}

function responses(): object {
  const unchanged = {
    description: 'The response still has the tag that if-none-match names.',
    headers: headers('etag', 'age'),
  };
  const errors = Object.entries(SERVER_ERRORS).map(([status, description]) => {
    const waiting = ['429', '503'].includes(status) ? { headers: headers('retry-after') } : {};
    return [`Http${status}`, { description, ...waiting, content: json('ServerError') }];
  });
  return { Http304: unchanged, ...(Object.fromEntries(errors) as Record<string, object>) };
}

function toResponse(status: string): object {
  return { $ref: `#/components/responses/Http${status}` };
}

function json(schema: string): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function headers(...names: (keyof typeof HEADERS)[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
