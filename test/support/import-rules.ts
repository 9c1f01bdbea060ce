/** Checks the import lines of the source against the rules of docs/contributing/architecture.md, "The rooms". */

/** A source file: its path below `src`, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Rooms by layer, the top first. Imports only point down: from a room to one of a lower layer, or to itself. */
const LAYERS = [
  ['cli'],
  ['app'],
  ['web', 'alerts', 'sandbox'],
  ['capacity'],
  ['health', 'sync'],
  ['warehouse', 'queries', 'publishing', 'backup', 'service'],
  ['budget'],
  ['database'],
  ['lib'],
] as const;

/** The rooms that may import the live file. */
const FILE_ROOMS = ['warehouse', 'queries', 'publishing', 'backup', 'budget', 'database'];
const FILE_HOMES = [...FILE_ROOMS, 'alerts'].map((room) => `${room}/`);

/** Libraries that only these rooms may import. */
const HOMES: Record<string, readonly string[]> = {
  undici: ['service/client/', 'lib/http/'],
  aws4fetch: ['publishing/targets/stores/'],
  '@rgrove/parse-xml': ['publishing/targets/stores/'],
  hyparquet: ['publishing/parquet.ts', 'publishing/targets/delta/'],
  'hyparquet-writer': ['publishing/parquet.ts', 'publishing/targets/delta/'],
  'better-sqlite3': ['database/sqlite.ts'],
  'drizzle-orm': FILE_HOMES,
  'node-cron': ['app/', 'lib/cron-ticks.ts'],
  croner: ['lib/cron-ticks.ts'],
  fastify: ['web/', 'service/server/'],
  '@fastify': ['web/', 'service/server/'],
  etag: ['service/server/'],
  fresh: ['service/server/'],
  'prom-client': ['web/'],
  preact: ['web/'],
  'preact-render-to-string': ['web/'],
  diff: ['web/'],
  pino: ['lib/'],
  'pino-pretty': ['lib/'],
  commander: ['cli/'],
  'cli-progress': ['cli/'],
  'cli-table3': ['cli/'],
  yaml: ['config/'],
  'csv-parse': ['config/'],
  'temporal-polyfill': ['lib/'],
  pg: ['publishing/targets/postgres/'],
  'pg-copy-streams': ['publishing/targets/postgres/'],
};

/** Texts that only some files may contain. */
const FORBIDDEN_TEXTS: { pattern: RegExp; message: string; homes: readonly string[] }[] = [
  { pattern: /\bprocess\.env\b/, message: 'reads process.env', homes: ['config/'] },
  {
    pattern: /\bprocess\.(?:stdout|stderr)\.write\b/,
    message: 'writes to the terminal',
    homes: ['cli/', 'lib/logger.ts'],
  },
  { pattern: /\bconsole\.\w+\(/, message: 'writes to the console', homes: [] },
  { pattern: /^export default\b|^export \{[^}]*\bas default\b/m, message: 'has a default export', homes: [] },
];

const LONGEST_FILE = 300;

interface Import {
  /** As it is written: `../lib/clock.ts`, `node:fs`, `zod`. */
  from: string;
  typeOnly: boolean;
}

/** Every violation of the rules, as a text that begins with the path of the file. */
export function findBreaches(files: readonly SourceFile[]): string[] {
  return [...files.flatMap(findBreachesInFile), ...findRoomsThatKnowBoth(files)];
}

function findBreachesInFile(file: SourceFile): string[] {
  const { path, text } = file;
  const imports = parseImports(text);
  const code = withoutComments(text);
  const lines = text.trimEnd().split('\n').length;
  const messages = [
    ...imports.flatMap((each) =>
      each.from.startsWith('.') ? checkLayer(path, each) : checkHome(path, each),
    ),
    ...FORBIDDEN_TEXTS.filter(({ pattern, homes }) => pattern.test(code) && !isAt(path, homes)).map(
      ({ message }) => message,
    ),
    ...(lines > LONGEST_FILE ? [`has ${lines} lines, more than ${LONGEST_FILE}`] : []),
  ];
  return messages.map((message) => `${path} ${message}`);
}

function checkHome(path: string, { from }: Import): string[] {
  const library = Object.keys(HOMES).find((name) => from === name || from.startsWith(`${name}/`));
  const homes = library === undefined ? undefined : HOMES[library];
  return homes === undefined || isAt(path, homes)
    ? []
    : [`imports ${from}, whose home is ${homes.join(' or ')}`];
}

function checkLayer(path: string, { from, typeOnly }: Import): string[] {
  const target = resolve(path, from);
  const [own, other] = [getRoom(path), getRoom(target)];
  if (target.startsWith('..')) return [`imports ${from}, which lies outside src`];
  if (own === other)
    return isServiceCrossing(path, target) ? [`imports ${target}: client and server are strangers`] : [];
  if (other === 'config') {
    const isReader = own === 'cli' || own === 'app';
    return isReader || typeOnly ? [] : [`imports more than types from ${target}`];
  }
  const isLeaf = own === 'config' || own === 'service'; // they do not import the file
  const isDown = getLayer(other) > getLayer(isLeaf ? 'database' : own);
  return isDown ? [] : [`imports ${target}: imports only point down`];
}

function isServiceCrossing(path: string, target: string): boolean {
  const isBetween = (one: string, other: string) => path.startsWith(one) && target.startsWith(other);
  return isBetween('service/client/', 'service/server/') || isBetween('service/server/', 'service/client/');
}

/**
 * Rooms that may import both the service and the live file; `web` for the catalogue that serves the
 * warehouse.
 */
const KNOWS_BOTH = ['cli', 'app', 'sync', 'web'];

function findRoomsThatKnowBoth(files: readonly SourceFile[]): string[] {
  const rooms = new Set(files.map(({ path }) => getRoom(path)).filter((room) => !KNOWS_BOTH.includes(room)));
  return [...rooms].flatMap((room) => {
    const firstThatImports = (others: readonly string[]) =>
      files.find(
        ({ path, text }) =>
          getRoom(path) === room &&
          parseImports(text).some(
            ({ from }) => from.startsWith('.') && others.includes(getRoom(resolve(path, from))),
          ),
      )?.path;
    const [service, file] = [firstThatImports(['service']), firstThatImports(FILE_ROOMS)];
    const isBoth =
      service !== undefined && file !== undefined && room !== 'service' && !FILE_ROOMS.includes(room);
    return isBoth
      ? [
          `${service} knows the service and ${file} the live file: only ${KNOWS_BOTH.join(', ')} may know both`,
        ]
      : [];
  });
}

/** Every import cycle, of types too, as its files in order: `a.ts imports b.ts imports a.ts`. */
export function findCircles(files: readonly SourceFile[]): string[] {
  const targets = new Map(
    files.map(({ path, text }) => [
      path,
      parseImports(text)
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => resolve(path, from)),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    const start = above.indexOf(path);
    if (start >= 0) circles.push([...above.slice(start), path].join(' imports '));
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return circles;
}

function isAt(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => path.startsWith(home));
}

function getRoom(path: string): string {
  return path.split('/')[0] ?? path;
}

/** The number of the layer, 0 at the top; a room without one is above all, so that no room may import it. */
function getLayer(room: string): number {
  return LAYERS.findIndex((layer) => layer.some((each) => each === room));
}

function resolve(path: string, from: string): string {
  return new URL(from, `file:///src/${path}`).pathname.replace(/^\/src\//, '').replace(/^\/(?!src)/, '../');
}

/**
 * The imports and re-exports of the text, also at run time; `typeOnly` where the built code has nothing of
 * it.
 */
function parseImports(text: string): Import[] {
  const code = withoutComments(text);
  const statements = code.matchAll(/^(?:import|export)\s+(type\s)?([^'"`;]*?from\s*)?['"]([^'"]+)['"]/gm);
  const dynamic = code.matchAll(
    /\b(?:import|require\)?|createRequire\([^)]*\))\s*\(\s*['"]([^'"]+)['"]\s*\)/g,
  );
  return [
    ...[...statements].map(([, type, names, from]) => ({
      from: from ?? '',
      typeOnly: type !== undefined || isAllTypes(names),
    })),
    ...[...dynamic].map(([, from]) => ({ from: from ?? '', typeOnly: false })),
  ];
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

/** True for `{ type A, type B } from`. */
function isAllTypes(names: string | undefined): boolean {
  const listed = /^\{([^}]*)\}/
    .exec(names?.trim() ?? '')?.[1]
    ?.split(',')
    .map((name) => name.trim());
  const given = listed?.filter((name) => name !== '') ?? [];
  return given.length > 0 && given.every((name) => name.startsWith('type '));
}
