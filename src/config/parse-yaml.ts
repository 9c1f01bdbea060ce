import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Alias, Document, Node, Scalar, YAMLError, YAMLMap } from 'yaml';
import { createSourceMap, type Path, type Place, type SourceMap } from './source-map.ts';
import type { Problem } from './problems.ts';
import { hidePassword, listPostgresSecrets } from '../lib/postgres-url.ts';
import { findUnbraced, type Lookup, substitute } from './env-vars.ts';

/** A config file as plain values, and the place of each. */
export interface Source {
  /** Undefined if the file is not YAML; the problems say why. */
  readonly value: unknown;
  readonly sourceMap: SourceMap;
  /** Of syntax, of variables, and of keys that are set twice. */
  readonly problems: readonly Problem[];
}

/** Keys whose value must not be printed. */
const SECRET = new Set([
  ...['key', 'keys', 'webhook', 'ping', 'success', 'start', 'failure'],
  ...['access_key_id', 'secret_access_key', 'session_token'],
]);
/** Keys whose value is text, even if it is written as a number: `key: 0123` keeps its zero. */
const TEXT = new Set([
  ...['key', 'keys', 'name', 'worker', 'every', 'restricted_codes', 'final_codes'],
  ...['schema', 'readers', 'access_key_id', 'secret_access_key', 'session_token'],
]);

/** How many values a file may have, those of aliases included: a few lines of aliases may stand for millions. */
const MAX_VALUES = 100_000;

/** The state of reading one file. `open`: the collections around the present node. */
interface YamlReader {
  document: Document.Parsed;
  /** Of the aliases that were resolved. */
  targets: Map<Alias, unknown>;
  lineAt: (node: unknown, otherwise: number | null) => number | null;
  lookup: Lookup;
  open: Set<unknown>;
  sourceMap: SourceMap;
  problems: Problem[];
  values: number;
}

class TooManyValuesError extends Error {}

/** Parses YAML and substitutes variables, in text values only. */
export function parseYaml(text: string, lookup: Lookup): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const sourceMap = createSourceMap();
  const problems = findSyntaxProblems(document, text, (offset) => lines.linePos(offset).line);
  if (problems.length > 0) return { value: undefined, sourceMap, problems };
  const lineAt = (node: unknown, otherwise: number | null) => {
    const range = (node as Partial<Node> | null)?.range;
    return range ? lines.linePos(range[0]).line : otherwise;
  };
  const state = { targets: new Map(), open: new Set(), values: 0 };
  const reader: YamlReader = { document, lineAt, lookup, sourceMap, problems, ...state };
  try {
    return { value: read(reader, document.contents, [], null), sourceMap, problems };
  } catch (error) {
    if (!(error instanceof TooManyValuesError || error instanceof RangeError)) throw error;
    const message = `has more than ${MAX_VALUES.toLocaleString('en-US')} values, or too deep ones, with those of aliases (*)`;
    return { value: undefined, sourceMap, problems: [{ line: null, path: [], message }] };
  }
}

function read(reader: YamlReader, node: unknown, path: Path, line: number | null): unknown {
  if (++reader.values > MAX_VALUES) throw new TooManyValuesError();
  const target = resolveAlias(reader, node);
  if (isAlias(node) && (target === undefined || reader.open.has(target))) {
    reader.sourceMap.add(path, { line, hidden: true, alreadyReported: true });
    reader.problems.push({ line, path, message: 'a value that begins with * needs quotes' });
    return null;
  }
  if (isScalar(target)) return readScalar(reader, target, path, line);
  if (!isMap(target) && !isSeq(target)) {
    reader.sourceMap.add(path, { line });
    return null;
  }
  reader.open.add(target);
  const value = isMap(target)
    ? readMapping(reader, target, path, line)
    : readList(reader, target.items, path, line);
  reader.open.delete(target);
  return value;
}

function resolveAlias({ document, targets }: YamlReader, node: unknown): unknown {
  if (!isAlias(node)) return node;
  if (!targets.has(node)) targets.set(node, node.resolve(document)); // it searches the whole document
  return targets.get(node);
}

function readMapping(reader: YamlReader, { items }: YAMLMap, path: Path, line: number | null): unknown {
  const written = items.length > 0 ? 'a mapping' : 'an empty mapping';
  reader.sourceMap.add(path, { line, kind: 'mapping', written });
  const firstLines = new Map<string, number | null>();
  const entries = items.map(({ key, value }): [string, unknown] => {
    const name = keyText(reader, key);
    const keyLine = reader.lineAt(key, line);
    if (firstLines.has(name)) {
      const message = `is set twice, first on line ${firstLines.get(name) ?? '?'}; expected it once`;
      reader.problems.push({ line: keyLine, path: [...path, name], message });
    } else firstLines.set(name, keyLine);
    return [name, read(reader, value, [...path, name], keyLine)];
  });
  return Object.fromEntries(entries);
}

function keyText(reader: YamlReader, key: unknown): string {
  const target = resolveAlias(reader, key);
  if (!isScalar(target)) return '?';
  return typeof target.value === 'string' ? target.value : (target.source ?? '');
}

function readList(reader: YamlReader, entries: readonly unknown[], path: Path, line: number | null): unknown {
  const written = entries.length > 0 ? 'a list' : 'an empty list';
  reader.sourceMap.add(path, { line, kind: 'list', written });
  return entries.map((entry, index) => read(reader, entry, [...path, index], reader.lineAt(entry, line)));
}

function readScalar(reader: YamlReader, scalar: Scalar, path: Path, line: number | null): unknown {
  const name = path.findLast((part) => typeof part === 'string') ?? '';
  const isLogin = name === 'proxy' && String(scalar.value).includes('@');
  const hidden = SECRET.has(name) || isLogin;
  if (typeof scalar.value === 'string') return readText(reader, scalar.value, path, { line, hidden });
  const written = scalar.value === null ? '' : (scalar.source ?? '');
  const isText = typeof scalar.value === 'number' && TEXT.has(name);
  reader.sourceMap.add(path, { line, kind: isText ? 'text' : 'other', written, hidden });
  return isText ? written : scalar.value;
}

function readText(
  { lookup, sourceMap, problems }: YamlReader,
  raw: string,
  path: Path,
  { line, hidden }: Pick<Place, 'line' | 'hidden'>,
): string {
  const { text: written, used, problems: found } = substitute(raw, lookup);
  const unbraced = path.at(-1) === 'name' ? null : findUnbraced(raw, lookup);
  if (unbraced !== null) found.push(unbraced);
  const alreadyReported = found.length > 0;
  const login = path.at(-1) === 'postgres' ? toLogin(written) : {};
  sourceMap.add(path, { line, kind: 'text', written, hidden: hidden || used, alreadyReported, ...login });
  problems.push(...found.map((message) => ({ line, path, message })));
  return written;
}

/** The address of a database is printed without its password, also where it comes from a variable. */
function toLogin(url: string): Partial<Place> {
  return { hidden: false, shown: hidePassword(url), secrets: listPostgresSecrets(url) };
}

/** Messages that replace those of the library, which quote the file: it may hold a key. */
const SYNTAX_TEXTS: Partial<Record<YAMLError['code'], string>> = {
  BAD_DIRECTIVE: 'a line that begins with % needs quotes',
  BAD_SCALAR_START: 'a value that begins with @, ` or % needs quotes',
  MULTIPLE_DOCS: 'a second document begins here (---); expected one',
  TAG_RESOLVE_FAILED: 'a value that begins with ! needs quotes',
};

/** A file that is no YAML has an error in every line: so many are listed. */
const MAX_SYNTAX_PROBLEMS = 5;

/** Syntax errors, one a line: the first error of a line causes the others. */
function findSyntaxProblems(
  document: Pick<Document.Parsed, 'errors' | 'warnings'>,
  text: string,
  lineAt: (offset: number) => number,
): Problem[] {
  const lines = text.split('\n');
  const byLine = new Map<number, Problem>();
  for (const error of [...document.errors, ...document.warnings]) {
    const line = lineAt(error.pos[0]);
    if (byLine.has(line)) continue;
    const message =
      findUnquotedStar(lines[line - 1] ?? '') ??
      SYNTAX_TEXTS[error.code] ??
      `not valid YAML: ${firstWords(error.message)}`;
    byLine.set(line, { line, path: [], message: `${message}${braceHint(lines[line - 1] ?? '')}` });
  }
  const problems = [...byLine.values()].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return problems.slice(0, MAX_SYNTAX_PROBLEMS);
}

/** A cron expression without quotes: YAML takes its first `*` for an alias. Only digits and signs are printed. */
const UNQUOTED_CRON = /[:{,][ \t]+(\*(?:\/\d+)?(?: +[\d*/,-]+)*) *(?=$|[\r#},])/;

function findUnquotedStar(line: string): string | null {
  const cron = UNQUOTED_CRON.exec(line)?.[1];
  return cron === undefined ? null : `* has a meaning of its own in YAML; put it in quotes: "${cron}"`;
}

function firstWords(message: string): string {
  return (message.split(': ')[0] ?? '').replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

function braceHint(line: string): string {
  const bracket = line.search(/[{[]/);
  const isInside = bracket >= 0 && line.indexOf('${', bracket + 1) > 0;
  return isInside ? '; inside of { } and [ ] a ${NAME} needs quotes' : '';
}
