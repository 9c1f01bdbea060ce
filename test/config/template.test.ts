import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../../src/config/template.ts';
import { CONFIG_TEMPLATE } from '../../src/config/template.ts';
import { readProblems } from '../support/fixtures/load-config.ts';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}
const schema = configJsonSchema() as Schema & { $schema: string; title: string };

/** Every key of the schema with its path, through lists and unions. */
function listKeys(node: Schema, path = ''): [string, Schema][] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, inner]): [string, Schema][] => [
    [`${path}.${name}`, inner],
    ...listKeys(inner, `${path}.${name}`),
  ]);
  const inside = [...(node.anyOf ?? []), ...(node.items ? [node.items] : [])];
  return [...own, ...inside.flatMap((inner) => listKeys(inner, path))];
}

/** Every key of a parsed file with its path, without the indexes of lists. */
function keysIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((inner) => keysIn(inner, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}.${name}`,
    ...keysIn(inner, `${path}.${name}`),
  ]);
}

describe('the template', () => {
  test('begins with the address of its JSON schema', () => {
    expect(CONFIG_TEMPLATE).toMatch(/^# yaml-language-server: \$schema=\.\/vodhouse\.schema\.json\n/);
  });

  test('lacks only its key', () => {
    expect(readProblems(CONFIG_TEMPLATE)).toEqual([expect.stringContaining('${VODHOUSE_KEY} is not set')]);
  });
});

describe('the JSON schema', () => {
  test('has a draft version that editors support, and an id', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema.title).toBe('vodhouse.yaml');
    expect(schema.required).toEqual(['timezone', 'accounts']);
  });

  test('has every key of the template', () => {
    const known = listKeys(schema).map(([path]) => path);
    expect(known).toEqual(expect.arrayContaining(keysIn(parse(CONFIG_TEMPLATE))));
  });

  test('has a sentence for every key', () => {
    for (const [path, { description }] of listKeys(schema)) {
      expect(description, path).toMatch(/^\S.*\.$/);
    }
  });

  test('rejects unknown keys at every level', () => {
    for (const [path, node] of [['', schema] as const, ...listKeys(schema)]) {
      if (node.properties) expect(node.additionalProperties, path).toBe(false);
    }
  });
});
