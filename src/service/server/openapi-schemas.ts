/** The parts of the OpenAPI document that come from the zod schemas of both operations. */
import { z } from 'zod';
import { NOT_DOCUMENTED } from '../../lib/service-fields.ts';
import { matchesExactly } from '../field-types.ts';
import { storageFigures, storageRecord, storageStatus } from '../storage.ts';
import { errorInfo, paging, searchOption, videoRecord } from '../videos.ts';
import {
  formatUnspecified,
  STORAGE_ANSWER,
  VIDEO_ANSWER,
  type UnspecifiedBehaviour,
} from './unspecified-behaviour.ts';
import type { PageSizes } from './query.ts';
import { storageParameters, videoParameters } from './query.ts';
import { API_ERRORS } from './api-errors.ts';

/** A JSON schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A query parameter of OpenAPI. */
export interface OpenApiParameter {
  name: string;
  in: 'query';
  required: boolean;
  description: string;
  schema: JsonSchema;
}

/** One schema for lists and errors: a client reads `errorCode` first. */
const videoAnswer = {
  VideoRecord: videoRecord.meta({
    description: 'A video. Fields that are not named here may come as well, as the service sent them',
  }),
  SearchOption: z.looseObject(asText(searchOption.shape)).meta({
    description: 'Echo of what was asked for; empty where unused',
    unspecified: VIDEO_ANSWER.apiVideoSearchOption,
  }),
  ErrorInfo: errorInfo
    .extend({
      errorCode: describeAs(
        z.enum(['None', ...errorCodes()]),
        errorInfo.shape.errorCode,
        VIDEO_ANSWER.errorCode,
      ),
      errorMessage: describeAs(z.string(), errorInfo.shape.errorMessage),
    })
    .meta({ description: 'Whether the list succeeded' }),
  Paging: paging
    .extend({
      totalpage: describeAs(paging.shape.totalpage, paging.shape.totalpage, VIDEO_ANSWER.totalpage),
    })
    .meta({ description: 'Where the page stands in the list', unspecified: VIDEO_ANSWER.paging }),
};

const videoList = z
  .looseObject({
    apiVideoSearchOption: videoAnswer.SearchOption,
    videoInfoList: z.array(videoAnswer.VideoRecord).meta({
      description: 'The videos of the page',
      unspecified: VIDEO_ANSWER.videoInfoList,
    }),
    errorInfo: videoAnswer.ErrorInfo,
    paging: videoAnswer.Paging,
  })
  .meta({ description: 'One page of the videos of a package, or a refusal' });

const storageDay = storageRecord.meta({
  description:
    'The figures of one day. A number may be written in scientific notation: 4.4482871E7 is 44482871',
});

const storageData = z
  .looseObject({
    list: z.array(storageDay).meta({
      description: 'The records of the range, one a day',
      unspecified: STORAGE_ANSWER.list,
    }),
  })
  .meta({ description: 'The records' });

const components: Readonly<Record<string, z.ZodType>> = {
  ...videoAnswer,
  VideoList: videoList,
  VideoListAnswer: z
    .looseObject({ videoInfoList: videoList })
    .meta({ description: 'The answer of the video list' }),
  StorageRecord: storageDay,
  StorageData: storageData,
  StorageAnswer: z
    .looseObject({
      message: describeAs(z.string(), storageStatus.shape.message, STORAGE_ANSWER.message),
      data: storageData,
    })
    .meta({ description: 'The answer of the storage statistics' }),
};

/** The schemas of both answers and all that they hold, by name (docs/service.md 2). References are `#/components/schemas/…`. */
export function answerSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      describe(jsonSchema);
      if (jsonSchema.properties) jsonSchema.required = Object.keys(jsonSchema.properties); // the server always sends all
      if (nullable.has(zodSchema) && typeof jsonSchema.type === 'string') setNullable(jsonSchema);
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutAddress(schema)]));
}

/** The query parameters of the video list (docs/service.md 4.1); the key is none of them. */
export function videoListParameters(sizes: PageSizes): OpenApiParameter[] {
  const { defaultPageSize, maxPageSize } = sizes;
  return toParameters(videoParameters).map((parameter) => {
    if (parameter.name !== 'pagesize') return parameter;
    const description = `${parameter.description} The default is ${defaultPageSize}, the largest ${maxPageSize}.`;
    return { ...parameter, description, schema: { ...parameter.schema, default: defaultPageSize } };
  });
}

/** The query parameters of the storage statistics (docs/service.md 4.2); the key is none of them. */
export function storageStatisticsParameters(): OpenApiParameter[] {
  return toParameters(storageParameters);
}

function toParameters(parameters: z.ZodObject): OpenApiParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, {
    io: 'input',
    override: ({ jsonSchema }) => describe(jsonSchema),
  });
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => {
    const { description = '', ...schema } = property;
    const isRequired = required.includes(name) && schema.default === undefined; // zod wants what it catches
    return { name, in: 'query', required: isRequired, description, schema };
  });
}

/** Fields whose reader takes null as it is. */
const nullable: ReadonlySet<unknown> = new Set(
  [...Object.values(videoRecord.shape), ...Object.values(storageFigures)].filter((field) =>
    matchesExactly(field)(null),
  ),
);

function setNullable(schema: JsonSchema): void {
  Object.assign(schema, { type: [schema.type, 'null'] });
}

/** Turns the meta of a schema into a description and keywords of JSON schema. Called several times for each one. */
function describe(schema: JsonSchema): void {
  const { description, unit, unspecified = {}, defaultValue } = schema as JsonSchema & Partial<SchemaMeta>;
  for (const word of OWN_KEYS) Reflect.deleteProperty(schema, word);
  if (description !== undefined && !description.endsWith('.')) {
    const named =
      unit === undefined
        ? description
        : `${description} (${unit === NOT_DOCUMENTED ? 'unit not documented' : unit})`;
    schema.description = `${named}. ${formatUnspecified(unspecified)}`.trim();
  }
  if (defaultValue !== undefined) schema.default = defaultValue;
  if (schema.type !== 'integer') return;
  schema.format = 'int64'; // counts, bytes and ids may exceed 32 bits
  delete schema.pattern; // of the text in the query
}

/** Keys of our metas that JSON schema does not have. */
const OWN_KEYS = ['unit', 'unspecified', 'defaultValue'] as const;

interface SchemaMeta {
  unit: string;
  unspecified: UnspecifiedBehaviour;
  defaultValue: string | number;
}

function withoutAddress(schema: JsonSchema): JsonSchema {
  const rest = { ...schema };
  delete rest.$schema;
  delete rest.$id;
  return rest;
}

/** The service may leave these out or send null; our server always sends text. */
function asText(shape: typeof searchOption.shape): Record<keyof typeof shape, z.ZodString> {
  const entries = Object.entries(shape).map(([name, option]) => [name, option.unwrap().unwrap()]);
  return Object.fromEntries(entries) as Record<keyof typeof shape, z.ZodString>;
}

function describeAs<T extends z.ZodType>(
  schema: T,
  described: z.ZodType,
  unspecified?: UnspecifiedBehaviour,
): T {
  const { description, unit } = described.meta() ?? {};
  return schema.meta({ ...schema.meta(), description, unit, ...(unspecified && { unspecified }) });
}

function errorCodes() {
  return Object.keys(API_ERRORS) as (keyof typeof API_ERRORS)[];
}
