/** The parts of the OpenAPI document that are made from the zod schemas of both operations. */
import { z } from 'zod';
import { NOT_DOCUMENTED } from '../../lib/service-fields.ts';
import { matchesExactly } from '../field-types.ts';
import { storageFigures, storageRecord, storageVerdict } from '../storage.ts';
import { errorInfo, paging, searchOption, videoRecord } from '../videos.ts';
import {
  sentencesOf,
  STORAGE_ANSWER,
  VIDEO_ANSWER,
  type UnspecifiedBehaviour,
} from './unspecified-behaviour.ts';
import type { PageSizes } from './query.ts';
import { storageParameters, videoParameters } from './query.ts';
import { REFUSALS } from './api-errors.ts';

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

/** The refusals and the list as one schema: a client reads `errorCode` before the rest. */
const videoAnswer = {
  VideoRecord: videoRecord.meta({
    description: 'A video. Fields that are not named here may come as well, as the service sent them',
  }),
  SearchOption: z.looseObject(sent(searchOption.shape)).meta({
    description: 'Echo of what was asked for; empty where unused',
    choices: VIDEO_ANSWER.apiVideoSearchOption,
  }),
  ErrorInfo: errorInfo
    .extend({
      errorCode: withChoices(z.enum(['None', ...codes()]), errorInfo.shape.errorCode, VIDEO_ANSWER.errorCode),
      errorMessage: withChoices(z.string(), errorInfo.shape.errorMessage),
    })
    .meta({ description: 'Whether the list succeeded' }),
  Paging: paging
    .extend({
      totalpage: withChoices(paging.shape.totalpage, paging.shape.totalpage, VIDEO_ANSWER.totalpage),
    })
    .meta({ description: 'Where the page stands in the list', choices: VIDEO_ANSWER.paging }),
};

const videoList = z
  .looseObject({
    apiVideoSearchOption: videoAnswer.SearchOption,
    videoInfoList: z.array(videoAnswer.VideoRecord).meta({
      description: 'The videos of the page',
      choices: VIDEO_ANSWER.videoInfoList,
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
      choices: STORAGE_ANSWER.list,
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
      message: withChoices(z.string(), storageVerdict.shape.message, STORAGE_ANSWER.message),
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
      if (jsonSchema.properties) jsonSchema.required = Object.keys(jsonSchema.properties); // the server leaves none out
      if (nullable.has(zodSchema) && typeof jsonSchema.type === 'string') setNullable(jsonSchema);
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutAddress(schema)]));
}

/** The query parameters of the video list (docs/service.md 4.1); the key is none of them. */
export function videoListParameters(sizes: PageSizes): OpenApiParameter[] {
  const { defaultPageSize, maxPageSize } = sizes;
  return parametersOf(videoParameters).map((parameter) => {
    if (parameter.name !== 'pagesize') return parameter;
    const description = `${parameter.description} The default is ${defaultPageSize}, the largest ${maxPageSize}.`;
    return { ...parameter, description, schema: { ...parameter.schema, default: defaultPageSize } };
  });
}

/** The query parameters of the storage statistics (docs/service.md 4.2); the key is none of them. */
export function storageStatisticsParameters(): OpenApiParameter[] {
  return parametersOf(storageParameters);
}

function parametersOf(parameters: z.ZodObject): OpenApiParameter[] {
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

/** Turns what the meta of a schema says into words and keywords of JSON schema. Called several times for each one. */
function describe(schema: JsonSchema): void {
  const { description, unit, choices = {}, leftOut } = schema as JsonSchema & Partial<SaidOfSchema>;
  for (const word of OWN_WORDS) Reflect.deleteProperty(schema, word);
  if (description !== undefined && !description.endsWith('.')) {
    const named =
      unit === undefined
        ? description
        : `${description} (${unit === NOT_DOCUMENTED ? 'unit not documented' : unit})`;
    schema.description = `${named}. ${sentencesOf(choices)}`.trim();
  }
  if (leftOut !== undefined) schema.default = leftOut;
  if (schema.type !== 'integer') return;
  schema.format = 'int64'; // counts, bytes and ids may exceed 32 bits
  delete schema.pattern; // of the text in the query
}

/** What our metas say and JSON schema has no word for. */
const OWN_WORDS = ['unit', 'choices', 'leftOut'] as const;

interface SaidOfSchema {
  unit: string;
  choices: UnspecifiedBehaviour;
  leftOut: string | number;
}

function withoutAddress(schema: JsonSchema): JsonSchema {
  const rest = { ...schema };
  delete rest.$schema;
  delete rest.$id;
  return rest;
}

/** What is read leniently from the service is sent as text. */
function sent(shape: typeof searchOption.shape): Record<keyof typeof shape, z.ZodString> {
  const entries = Object.entries(shape).map(([name, option]) => [name, option.unwrap().unwrap()]);
  return Object.fromEntries(entries) as Record<keyof typeof shape, z.ZodString>;
}

function withChoices<T extends z.ZodType>(
  schema: T,
  described: z.ZodType,
  choices?: UnspecifiedBehaviour,
): T {
  const { description, unit } = described.meta() ?? {};
  return schema.meta({ ...schema.meta(), description, unit, ...(choices && { choices }) });
}

function codes() {
  return Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
}
