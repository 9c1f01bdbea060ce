/** The parts of the OpenAPI document that come from the zod schemas of both operations. */
import * as z from 'zod';
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
import { storageParameters, videoParameters, type PageSizes } from './query.ts';
import { API_ERRORS } from './api-errors.ts';

/** A JSON schema (draft 2020-12), as OpenAPI 3.1 takes it. */
type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface OpenApiParameter {
  name: string;
  in: 'query';
  required: boolean;
  description: string;
  schema: JsonSchema;
}

/**
 * The schemas of both responses and all that they hold, by name (docs/service.md 2). Lists and errors have one schema: a
 * client reads `errorCode` first.
 */
export const answerSchemas: Readonly<Record<string, JsonSchema>> = {
  VideoRecord: toObject(
    'A video. Fields that are not named here may come as well, as the service sent them',
    mapShape(videoRecord.shape, toNullable),
  ),
  SearchOption: toObject(
    'Echo of the search and sort parameters; empty where unused',
    mapShape(searchOption.shape, toField),
    VIDEO_ANSWER.apiVideoSearchOption,
  ),
  ErrorInfo: toObject('Whether the list succeeded', {
    errorCode: {
      ...toField(errorInfo.shape.errorCode, VIDEO_ANSWER.errorCode),
      enum: ['None', ...Object.keys(API_ERRORS)],
    },
    errorMessage: toField(errorInfo.shape.errorMessage),
  }),
  Paging: toObject(
    'Position of the page in the list',
    {
      ...mapShape(paging.shape, toField),
      totalpage: toField(paging.shape.totalpage, VIDEO_ANSWER.totalpage),
    },
    VIDEO_ANSWER.paging,
  ),
  VideoList: toObject('One page of the videos of a package, or a rejection', {
    apiVideoSearchOption: toReference('SearchOption'),
    videoInfoList: toList('The videos of the page', 'VideoRecord', VIDEO_ANSWER.videoInfoList),
    errorInfo: toReference('ErrorInfo'),
    paging: toReference('Paging'),
  }),
  VideoListAnswer: toObject('The response of the video list', { videoInfoList: toReference('VideoList') }),
  StorageRecord: toObject(
    'The figures of one day. A number may be written in scientific notation: 4.4482871E7 is 44482871',
    { ...mapShape(storageFigures, toNullable), date: toField(storageRecord.shape.date) },
  ),
  StorageData: toObject('The records', {
    list: toList('The records of the range, one a day', 'StorageRecord', STORAGE_ANSWER.list),
  }),
  StorageAnswer: toObject('The response of the storage statistics', {
    message: toField(storageStatus.shape.message, STORAGE_ANSWER.message),
    data: toReference('StorageData'),
  }),
};

/** The server always sends all members, and may send others. */
function toObject(
  description: string,
  properties: Record<string, JsonSchema>,
  unspecified?: UnspecifiedBehaviour,
): JsonSchema {
  const required = Object.keys(properties);
  return toJsonSchema({
    type: 'object',
    description,
    unspecified,
    properties,
    required,
    additionalProperties: {},
  });
}

function toList(description: string, record: string, unspecified: UnspecifiedBehaviour): JsonSchema {
  return toJsonSchema({ type: 'array', description, unspecified, items: toReference(record) });
}

function toReference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function mapShape(
  shape: Readonly<Record<string, z.ZodType>>,
  toSchema: (field: z.ZodType) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, toSchema(field)]));
}

function toField(field: z.ZodType, unspecified?: UnspecifiedBehaviour): JsonSchema {
  return toJsonSchema({ type: 'string', ...(field.meta() as SchemaWithMeta), unspecified });
}

/** A field is null if its reader takes null as it is. */
function toNullable(field: z.ZodType): JsonSchema {
  const schema = toField(field);
  return matchesExactly(field)(null) ? Object.assign(schema, { type: [schema.type, 'null'] }) : schema;
}

/** The query parameters of the video list (docs/service.md 4.1); without the API key. */
export function videoListParameters({ defaultPageSize, maxPageSize }: PageSizes): OpenApiParameter[] {
  return toParameters(videoParameters).map((parameter) => {
    if (parameter.name !== 'pagesize') return parameter;
    const description = `${parameter.description} The default is ${defaultPageSize}, the largest ${maxPageSize}.`;
    return { ...parameter, description, schema: { ...parameter.schema, default: defaultPageSize } };
  });
}

/** The query parameters of the storage statistics (docs/service.md 4.2); without the API key. */
export function storageStatisticsParameters(): OpenApiParameter[] {
  return toParameters(storageParameters);
}

function toParameters(parameters: z.ZodObject<Record<string, z.ZodType>>): OpenApiParameter[] {
  const { properties = {} } = z.toJSONSchema(parameters, { io: 'input' });
  return Object.entries(parameters.shape).map(([name, field]) => {
    const { description = '', ...schema } = toJsonSchema(properties[name] as SchemaWithMeta);
    return { name, in: 'query', required: !field.safeParse(undefined).success, description, schema };
  });
}

/** A JSON schema with additional keys from the zod metas. */
type SchemaWithMeta = JsonSchema & {
  unit?: string;
  unspecified?: UnspecifiedBehaviour | undefined;
  defaultValue?: string | number;
};

/** Turns the meta of a schema into a description and keywords of JSON schema. */
function toJsonSchema({ unit, unspecified = {}, defaultValue, ...schema }: SchemaWithMeta): JsonSchema {
  const unitText = unit === NOT_DOCUMENTED ? 'unit not documented' : unit;
  const named = `${schema.description ?? ''}${unitText === undefined ? '' : ` (${unitText})`}`;
  schema.description = `${named}. ${formatUnspecified(unspecified)}`.trim();
  if (defaultValue !== undefined) schema.default = defaultValue;
  if (schema.type === 'integer') schema.format = 'int64'; // counts, bytes and ids may exceed 32 bits
  delete schema.pattern; // of an integer's text in the query
  return schema;
}
