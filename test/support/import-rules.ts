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
  ['leaf'],
  ['lib'],
];

/**
 * Files that belong to a room, and that rooms below it use too: the config checks an address, the live file stores a
 * result. They are in a layer of their own, so they import only `lib` and each other.
 */
const LEAVES = [
  'budget/request-budget.ts',
  'health/incident-events.ts',
  'publishing/targets/load-report.ts',
  'publishing/targets/postgres/postgres-url.ts',
  'publishing/targets/stores/lake-place.ts',
  'service/count-pages.ts',
  'service/service-fields.ts',
  'sync/package-key.ts',
  'sync/streams.ts',
];

/** The rooms that may import the live file. */
const FILE_ROOMS = ['warehouse', 'queries', 'publishing', 'backup', 'budget', 'database'];
/** Those that may import both the service and the live file; `web` for the catalogue that serves the warehouse. */
const KNOWS_BOTH = ['cli', 'app', 'sync', 'web'];

/** Libraries that only these rooms may import. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  undici: ['service/client/', 'publishing/targets/stores/', 'lib/http/'],
  aws4fetch: ['publishing/targets/stores/'],
  '@rgrove/parse-xml': ['publishing/targets/stores/'],
  hyparquet: ['publishing/targets/'],
  'hyparquet-writer': ['publishing/targets/'],
  'better-sqlite3': ['database/sqlite.ts'],
  'drizzle-orm': [...FILE_ROOMS, 'alerts'].map((room) => `${room}/`),
  'node-cron': ['app/scheduler.ts'],
  croner: ['lib/cron-ticks.ts'],
  fastify: ['web/', 'service/server/'],
  '@fastify': ['web/', 'service/server/'],
  'prom-client': ['web/'],
  preact: ['web/'],
  'preact-render-to-string': ['web/'],
  diff: ['web/'],
  pino: ['lib/'],
  'pino-pretty': ['lib/'],
  commander: ['cli/'],
  'cli-table3': ['cli/'],
  yaml: ['config/'],
  'csv-parse': ['config/'],
  'temporal-polyfill': ['lib/'],
  pg: ['publishing/targets/postgres/'],
  'pg-copy-streams': ['publishing/targets/postgres/'],
};

/** Texts that only some files may contain. */
const FORBIDDEN: readonly [message: string, pattern: RegExp, ...homes: string[]][] = [
  ['reads process.env', /\bprocess\.env\b/, 'config/'],
  ['writes to the terminal', /\bprocess\.(?:stdout|stderr)\.write\b/, 'cli/', 'lib/logger.ts'],
  ['writes to the console', /\bconsole\.\w+\(/],
  ['has a default export', /^export default\b|^export \{[^}]*\bas default\b/m],
];

const LONGEST_FILE = 300;

interface Import {
  /** As it is written: `../lib/clock.ts`, `node:fs`, `zod`. */
  from: string;
  typeOnly: boolean;
}

const getRoom = (path: string) => (LEAVES.includes(path) ? 'leaf' : (path.split('/')[0] ?? path));
const isAt = (path: string, homes: readonly string[]) => homes.some((home) => path.startsWith(home));
const resolve = (path: string, from: string) =>
  new URL(from, `file:///src/${path}`).pathname.replace(/^\/src\//, '').replace(/^\/(?!src)/, '../');
/** The number of the layer, 0 at the top; a room without one is above all, so that no room may import it. */
const getLayer = (room: string) => LAYERS.findIndex((layer) => layer.includes(room));

/** Every violation of the rules, as a text that begins with the path of the file. */
export function findBreaches(files: readonly SourceFile[]): string[] {
  return [...files.flatMap(findBreachesInFile), ...findRoomsThatKnowBoth(files)];
}

function findBreachesInFile({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  const lines = text.trimEnd().split('\n').length;
  const messages = [
    ...parseImports(text).flatMap((each) =>
      each.from.startsWith('.') ? checkLayer(path, each) : checkHome(path, each),
    ),
    ...FORBIDDEN.flatMap(([message, pattern, ...homes]) =>
      pattern.test(code) && !isAt(path, homes) ? message : [],
    ),
    ...(lines > LONGEST_FILE ? [`has ${lines} lines, more than ${LONGEST_FILE}`] : []),
  ];
  return messages.map((message) => `${path} ${message}`);
}

function checkHome(path: string, { from }: Import): string[] {
  const [, homes] =
    Object.entries(HOMES).find(([name]) => from === name || from.startsWith(`${name}/`)) ?? [];
  return !homes || isAt(path, homes) ? [] : [`imports ${from}, whose home is ${homes.join(' or ')}`];
}

function checkLayer(path: string, { from, typeOnly }: Import): string[] {
  const target = resolve(path, from);
  const [own, other] = [getRoom(path), getRoom(target)];
  if (target.startsWith('..')) return [`imports ${from}, which lies outside src`];
  if (own === other) {
    const [side, otherSide] = [path, target].map((each) => /^service\/(client|server)\//.exec(each)?.[1]);
    const isCrossing = side && otherSide && side !== otherSide;
    return isCrossing ? [`imports ${target}: client and server are strangers`] : [];
  }
  if (other === 'config') {
    const isReader = own === 'cli' || own === 'app';
    return isReader || typeOnly ? [] : [`imports more than types from ${target}`];
  }
  const isLeaf = own === 'config' || own === 'service'; // they do not import the file
  const isDown = getLayer(other) > getLayer(isLeaf ? 'database' : own);
  return isDown ? [] : [`imports ${target}: imports only point down`];
}

function findRoomsThatKnowBoth(files: readonly SourceFile[]): string[] {
  const rooms = new Set(files.map(({ path }) => getRoom(path)));
  for (const room of [...KNOWS_BOTH, 'service', ...FILE_ROOMS]) rooms.delete(room);
  return [...rooms].flatMap((room) => {
    const findImporter = (others: readonly string[]) =>
      files.find(
        (file) =>
          getRoom(file.path) === room && listTargets(file).some((target) => others.includes(getRoom(target))),
      )?.path;
    const [service, file] = [findImporter(['service']), findImporter(FILE_ROOMS)];
    return service && file
      ? `${service} knows the service and ${file} the live file: only ${KNOWS_BOTH.join(', ')} may know both`
      : [];
  });
}

const listTargets = ({ path, text }: SourceFile) =>
  parseImports(text).flatMap(({ from }) => (from.startsWith('.') ? resolve(path, from) : []));

/** Every import cycle, of types too, as its files in order: `a.ts imports b.ts imports a.ts`. */
export const findCircles = (files: readonly SourceFile[]): string[] =>
  findCirclesOf(new Map(files.map((file) => [file.path, listTargets(file)])));

/** Rooms in which folders import each other one way only. */
const ORDERED_ROOMS = ['publishing', 'queries', 'web'];

/** Every circle of folders within an ordered room, as `findCircles` has those of files. */
export function findFolderCircles(files: readonly SourceFile[]): string[] {
  const targets = new Map<string, string[]>();
  for (const file of files) {
    const [room, folder] = [getRoom(file.path), getFolder(file.path)];
    if (!ORDERED_ROOMS.includes(room)) continue;
    const others = listTargets(file)
      .filter((target) => getRoom(target) === room)
      .map(getFolder);
    targets.set(folder, [...(targets.get(folder) ?? []), ...others.filter((other) => other !== folder)]);
  }
  return findCirclesOf(targets);
}

const getFolder = (path: string) => path.split('/').slice(0, -1).join('/');

/** The circles of what imports what. */
function findCirclesOf(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (name: string, above: readonly string[]): void => {
    const start = above.indexOf(name);
    if (start >= 0) circles.push([...above.slice(start), name].join(' imports '));
    if (start >= 0 || done.has(name)) return;
    for (const target of targets.get(name) ?? []) visit(target, [...above, name]);
    done.add(name);
  };
  for (const name of targets.keys()) visit(name, []);
  return circles;
}

/** The imports and re-exports of the text, also at run time; `typeOnly` where the built code has nothing of it. */
function parseImports(text: string): Import[] {
  const code = withoutComments(text);
  const statements = code.matchAll(/^(?:import|export)\s+(type\s)?([^'"`;]*?from\s*)?['"]([^'"]+)['"]/gm);
  const dynamic = code.matchAll(
    /\b(?:import|require\)?|createRequire\([^)]*\))\s*\(\s*['"]([^'"]+)['"]\s*\)/g,
  );
  return [
    ...[...statements].map(([, type, names = '', from = '']) => ({
      from,
      typeOnly: type !== undefined || /^\{\s*(type [^,}]+,?\s*)+\}/.test(names.trim()),
    })),
    ...[...dynamic].map(([, from = '']) => ({ from, typeOnly: false })),
  ];
}

const withoutComments = (text: string) =>
  text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
