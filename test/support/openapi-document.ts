import { z } from 'zod';
import { buildOpenApi } from '../../src/service/server/openapi.ts';

/** The path between the names and the schemas of the document. */
export interface Document {
  paths: Record<string, { get: { responses: Record<string, Described> } }>;
  components: { schemas: Record<string, object> };
}

interface Described {
  content?: Record<string, { schema: { $ref: string } }>;
}

const REFERENCE = /^#\/components\/schemas\//;

const document = buildOpenApi({
  version: '0.0.0',
  keyed: true,
  keyHeaders: [],
  defaultPageSize: 20,
  maxPageSize: 1000,
}) as Document;

const schemas = compileSchemas(document);

/** The schemas of an OpenAPI document by name; throws for one that is not understood. */
export function compileSchemas({ components }: Pick<Document, 'components'>): Record<string, z.ZodType> {
  const text = JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/');
  const $defs = JSON.parse(text) as Record<string, z.core.JSONSchema.JSONSchema>;
  return Object.fromEntries(
    Object.keys($defs).map((name) => [name, z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs })]),
  );
}

/**
 * Expects that the OpenAPI document describes a response: its path, with or without `/accounts/NAME` before
 * it and a query after it, its status, and its body.
 */
export function expectDescribed(path: string, status: number, body: unknown): void {
  const name = getSchemaName(path, status);
  const found = schemas[name]?.safeParse(body);
  if (found?.success) return;
  const problems = found ? z.prettifyError(found.error) : 'there is no such schema';
  throw new Error(`${path} with HTTP ${status} is not as ${name} describes it: ${problems}`);
}

function getSchemaName(path: string, status: number): string {
  const plain = path.replace(/\?.*$/s, '').replace(/^\/accounts\/[^/]+/, '');
  const responses = document.paths[plain]?.get.responses;
  const described = responses?.[status] ?? responses?.[`${Math.floor(status / 100)}XX`];
  const schema = described?.content?.['application/json']?.schema.$ref;
  if (schema === undefined) throw new Error(`no body is described for ${plain} with HTTP ${status}`);
  return schema.replace(REFERENCE, '');
}
