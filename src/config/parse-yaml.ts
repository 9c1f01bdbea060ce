import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Node, Scalar, YAMLMap } from 'yaml';
import { findOversized, MOST_ALIASED, targetsOf, type Targets } from './aliases.ts';
import { createSourceMap, type Path, type Place, type SourceMap } from './source-map.ts';
import type { Problem } from './format-problems.ts';
import { syntaxProblems } from './syntax.ts';
import { type Lookup, substitute } from './env-vars.ts';

/** A config file as plain values, and where each of them stands. */
export interface Source {
  /** Undefined where the file is not YAML; the problems say why. */
  readonly value: unknown;
  readonly places: SourceMap;
  /** Of syntax, of variables, and of keys that are set twice. */
  readonly problems: readonly Problem[];
}

/** Keys whose value must not be printed. */
const SECRET = new Set(['key', 'keys', 'webhook', 'ping']);
/** Keys whose value is text, also where it is written as a number: `key: 0123` keeps its zero. */
const TEXT = new Set(['key', 'keys', 'name', 'restricted_codes', 'final_codes']);

const OVERSIZED = `values that begin with * stand for too many values up to here, or too deep ones; expected at most ${MOST_ALIASED.toLocaleString('en-US')}, 100 deep: write out what is meant`;

/** What a reading of one file carries along. `open`: the collections around the present node. */
interface Reading {
  targets: Targets;
  lineAt: (node: unknown, otherwise: number | null) => number | null;
  lookup: Lookup;
  open: Set<unknown>;
  places: SourceMap;
  problems: Problem[];
}

/** Reads YAML and puts its variables in, in text values only. */
export function parseYaml(text: string, lookup: Lookup): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const places = createSourceMap();
  const problems = syntaxProblems(document, text, (offset) => lines.linePos(offset).line);
  if (problems.length > 0) return { value: undefined, places, problems };
  const lineAt = (node: unknown, otherwise: number | null) => {
    const range = (node as Partial<Node> | null)?.range;
    return range ? lines.linePos(range[0]).line : otherwise;
  };
  const targets = targetsOf(document);
  const oversized = findOversized(document, targets);
  if (oversized) {
    const problem = { line: lineAt(oversized, null), path: [], says: OVERSIZED };
    return { value: undefined, places, problems: [problem] };
  }
  const reading: Reading = { targets, lineAt, lookup, open: new Set(), places, problems };
  return { value: read(reading, document.contents, [], null), places, problems };
}

function read(reading: Reading, node: unknown, path: Path, line: number | null): unknown {
  const target = isAlias(node) ? reading.targets.get(node) : node;
  if (isAlias(node) && (target === undefined || reading.open.has(target))) {
    return readBrokenAlias(reading, path, line);
  }
  if (isScalar(target)) return readScalar(reading, target, path, line);
  if (!isMap(target) && !isSeq(target)) return readEmpty(reading, path, line);
  reading.open.add(target);
  const value = isMap(target)
    ? readMapping(reading, target, path, line)
    : readList(reading, target.items, path, line);
  reading.open.delete(target);
  return value;
}

function readBrokenAlias({ places, problems }: Reading, path: Path, line: number | null): null {
  places.add(path, { line, kind: 'other', written: '', hidden: true, settled: true });
  problems.push({ line, path, says: 'a value that begins with * needs quotes' });
  return null;
}

function readEmpty({ places }: Reading, path: Path, line: number | null): null {
  places.add(path, { line, kind: 'other', written: '', hidden: false, settled: false });
  return null;
}

function readMapping(reading: Reading, { items }: YAMLMap, path: Path, line: number | null): unknown {
  const written = items.length > 0 ? 'a mapping' : 'an empty mapping';
  reading.places.add(path, { line, kind: 'mapping', written, hidden: false, settled: false });
  const firstLines = new Map<string, number | null>();
  const entries = items.map(({ key, value }): [string, unknown] => {
    const name = keyText(reading, key);
    const keyLine = reading.lineAt(key, line);
    if (firstLines.has(name)) {
      const says = `is set twice, first on line ${firstLines.get(name) ?? '?'}; expected it once`;
      reading.problems.push({ line: keyLine, path: [...path, name], says });
    } else {
      firstLines.set(name, keyLine);
    }
    return [name, read(reading, value, [...path, name], keyLine)];
  });
  return Object.fromEntries(entries);
}

function keyText({ targets }: Reading, key: unknown): string {
  const target = isAlias(key) ? targets.get(key) : key;
  if (!isScalar(target)) return '?';
  return typeof target.value === 'string' ? target.value : (target.source ?? '');
}

function readList(reading: Reading, entries: readonly unknown[], path: Path, line: number | null): unknown {
  const written = entries.length > 0 ? 'a list' : 'an empty list';
  reading.places.add(path, { line, kind: 'list', written, hidden: false, settled: false });
  return entries.map((entry, index) => read(reading, entry, [...path, index], reading.lineAt(entry, line)));
}

function readScalar(reading: Reading, scalar: Scalar, path: Path, line: number | null): unknown {
  const name = path.findLast((part) => typeof part === 'string') ?? '';
  const hidden = SECRET.has(name);
  if (typeof scalar.value === 'string') return readText(reading, scalar.value, path, { line, hidden });
  const written = scalar.value === null ? '' : (scalar.source ?? '');
  const isText = typeof scalar.value === 'number' && TEXT.has(name);
  reading.places.add(path, { line, kind: isText ? 'text' : 'other', written, hidden, settled: false });
  return isText ? written : scalar.value;
}

function readText(reading: Reading, raw: string, path: Path, place: Pick<Place, 'line' | 'hidden'>): string {
  const { text, used, problems } = substitute(raw, reading.lookup);
  const hidden = place.hidden || used;
  const settled = problems.length > 0;
  reading.places.add(path, { line: place.line, kind: 'text', written: text, hidden, settled });
  for (const says of problems) reading.problems.push({ line: place.line, path, says });
  return text;
}
