/** The keys of the config, from its schema: the lower part of docs/config.md. */
import { configJsonSchema } from '../../src/config/template.ts';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

interface ConfigKey {
  path: string;
  default: string;
  meaning: string;
}

/** Sections have a heading of their own; the other keys come first. */
const isSection = (schema: Schema): boolean => schema.properties !== undefined || schema.items !== undefined;

export function configMarkdown(): string {
  const { properties = {}, required = [] } = configJsonSchema() as Schema;
  const entries = Object.entries(properties);
  const plain = Object.fromEntries(entries.filter(([, schema]) => !isSection(schema)));
  return [
    formatTable(listKeys({ properties: plain, required }, '')),
    ...entries.flatMap(([name, schema]) =>
      isSection(schema)
        ? `## ${name}\n\n${schema.description ?? ''}\n\n${formatTable(listKeys(schema, name))}`
        : [],
    ),
  ].join('\n');
}

/** The keys below a schema whose own path this is, each once, in the order of the file. */
function listKeys(schema: Schema, path: string): ConfigKey[] {
  const { properties = {}, required = [], anyOf = [], items } = schema;
  const keys = [
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const own = path === '' ? name : `${path}.${name}`;
      return [toKey(own, inner, required.includes(name)), ...listKeys(inner, own)];
    }),
    ...anyOf.flatMap((each) => listKeys(each, path)),
    ...(items ? listKeys(items, `${path}[]`) : []),
  ];
  return keys.filter((key, index) => keys.findIndex((other) => other.path === key.path) === index);
}

function toKey(path: string, { description = '' }: Schema, isRequired: boolean): ConfigKey {
  const [, meaning = '', standard] = /^(.*?)(?: Required\.| Default:? (.*)\.)?$/s.exec(description) ?? [];
  return { path, meaning, default: standard ?? (isRequired ? 'required' : '') };
}

function formatTable(keys: readonly ConfigKey[]): string {
  const escape = (text: string) => text.replaceAll('|', '\\|').replaceAll('*', '\\*');
  const rows = keys.map((key) => `| \`${key.path}\` | ${escape(key.default)} | ${escape(key.meaning)} |`);
  return `${['| key | default | means |', '| --- | --- | --- |', ...rows].join('\n')}\n`;
}
