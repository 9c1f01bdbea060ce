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

/** What most configs have, in the order of the page. All other keys are rarely needed. */
const USUAL: readonly string[] = [
  'warehouse',
  'timezone',
  'duration_unit',
  'accounts[].name',
  'accounts[].video_list.base_url',
  'accounts[].video_list.key',
  'accounts[].storage.base_url',
  'accounts[].storage.auth',
  'accounts[].storage.since',
  'accounts[].packages',
  'accounts[].limits.per_second',
  'accounts[].limits.per_minute',
  'accounts[].limits.per_day',
  'schedule.full',
  'schedule.quick',
  'publish.file',
  'backup.schedule',
  'backup.folder',
  'backup.keep',
  'server.host',
  'server.port',
  'server.keys',
  'notify.webhook',
  'notify.ping',
];

/** Keys with a short form: the row, or the text above, has what is inside. */
const SHORT_FORMS: readonly string[] = ['accounts[].packages', 'accounts[].storage.auth', 'notify.ping'];

const TARGETS = 'publish.targets';

/** Three tables. Throws where a usual key does not exist. */
export function configMarkdown(): string {
  const keys = listKeys(configJsonSchema(), '');
  const usual = USUAL.map((path) => {
    const key = keys.find((each) => each.path === path);
    if (key === undefined) throw new Error(`the config has no key ${path}`);
    return key;
  });
  const isOfTarget = ({ path }: ConfigKey) => path.startsWith(`${TARGETS}[]`);
  const rare = keys.filter((key) => !usual.includes(key) && !isOfTarget(key) && key.path !== TARGETS);
  return [
    `## Keys\n\n${formatTable(usual)}`,
    `## Rarely needed\n\n${formatTable(rare)}`,
    `## Keys of targets\n\nEach element of \`${TARGETS}\`; see [targets.md](targets.md).\n\n${formatTable(
      keys.filter(isOfTarget).map((key) => ({ ...key, path: key.path.slice(`${TARGETS}[].`.length) })),
    )}`,
  ].join('\n');
}

/** The keys below a schema whose own path this is, each once, in the order of the file. Sections are no keys. */
function listKeys(schema: Schema, path: string): ConfigKey[] {
  const { properties = {}, required = [], anyOf = [], items } = schema;
  const keys = [
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const own = path === '' ? name : `${path}.${name}`;
      const below = listKeys(inner, own);
      const isSection = inner.properties !== undefined || inner.items?.properties !== undefined;
      if (isSection) return below;
      return [toKey(own, inner, required.includes(name)), ...(SHORT_FORMS.includes(own) ? [] : below)];
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
