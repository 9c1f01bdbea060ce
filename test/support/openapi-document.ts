import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { buildOpenApi } from '../../src/service/server/openapi.ts';
import { isDay } from '../../src/lib/days.ts';

/** The path between the names and the schemas of the document. */
export interface Document {
  paths: Record<string, { get: { responses: Record<string, Described> } }>;
  components: { schemas: Record<string, object>; responses: Record<string, Described> };
}

interface Described {
  $ref?: string;
  content?: Record<string, { schema: { $ref: string } }>;
}

const REFERENCE = /^#\/components\/(?:schemas|responses)\//;

const document = buildOpenApi({
  version: '0.0.0',
  keyed: true,
  keyHeaders: [],
  defaultPageSize: 20,
  maxPageSize: 1000,
}) as Document;

const schemas = compileSchemas(document);

/** The schemas of an OpenAPI document by name, compiled in Ajv's strict mode; throws for an invalid one. */
export function compileSchemas({
  components,
}: Pick<Document, 'components'>): Record<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: true, strictRequired: true, allowUnionTypes: true, allErrors: true });
  ajv.addFormat('date', isDay);
  ajv.addFormat('int64', { type: 'number', validate: (value: number) => Number.isSafeInteger(value) });
  const text = JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/');
  ajv.addSchema({ $id: 'document', $defs: JSON.parse(text) as Record<string, object> });
  const names = Object.keys(components.schemas);
  return Object.fromEntries(names.map((name) => [name, ajv.compile({ $ref: `document#/$defs/${name}` })]));
}

/**
 * Expects that the OpenAPI document describes a response: its path, with or without `/accounts/NAME` before
 * it and a query after it, its status, and its body.
 */
export function expectDescribed(path: string, status: number, body: unknown): void {
  const name = getSchemaName(path, status);
  const validate = schemas[name];
  if (!validate) throw new Error(`there is no schema ${name}`);
  const problems = validate(body)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
        `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
      );
  const listed = problems.slice(0, 5).join('; ');
  expect(problems, `${path} with HTTP ${status} is not as ${name} describes it: ${listed}`).toEqual([]);
}

function getSchemaName(path: string, status: number): string {
  const plain = path.replace(/\?.*$/s, '').replace(/^\/accounts\/[^/]+/, '');
  const response = document.paths[plain]?.get.responses[status];
  const referred = response?.$ref?.replace(REFERENCE, '');
  const described = referred === undefined ? response : document.components.responses[referred];
  const schema = described?.content?.['application/json']?.schema.$ref;
  if (schema === undefined) throw new Error(`no body is described for ${plain} with HTTP ${status}`);
  return schema.replace(REFERENCE, '');
}
