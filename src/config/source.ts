/** A config file as plain values, the line of each, and how each may be printed. */
import { isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Document, ErrorCode, Node, Scalar } from 'yaml';
import { hidePassword, listPostgresSecrets } from '../publishing/targets/postgres/postgres-url.ts';
import { truncate } from '../lib/format.ts';
import { SHORTEST_SECRET } from '../lib/redact.ts';
import { substitute, type Lookup } from './env-vars.ts';

/** Keys whose value must not be printed. */
const SECRET = new Set([
  'key',
  'keys',
  'webhook',
  'ping',
  'success',
  'start',
  'failure',
  'access_key_id',
  'secret_access_key',
  'session_token',
]);
/** Keys whose value is text, even if it is written as a number: `key: 0123` keeps its zero. */
const TEXT = new Set([
  'key',
  'keys',
  'name',
  'worker',
  'every',
  'restricted_codes',
  'final_codes',
  'schema',
  'readers',
  'access_key_id',
  'secret_access_key',
  'session_token',
]);

/** Aliases that repeat more values than this are refused: a few lines of them may stand for millions. */
const MAX_ALIASES = 10_000;
/** How many columns of a terminal a displayed value takes at most. */
const MAX_DISPLAYED = 60;

/** The keys and indexes that lead to a value, from the top. */
export type Path = readonly (string | number)[];

/** One thing that is wrong with a config file. Its message may be printed. */
export interface Problem {
  /** The number of the line, from 1; null for a problem of the complete file. */
  readonly line: number | null;
  readonly path: Path;
  readonly message: string;
}

export type Source = ReturnType<typeof parseSource>;

/** What may be printed of a value. */
interface Place {
  /** The parts of the value that are never printed. */
  secrets: readonly string[];
  /** The text that is printed in place of the value; null: the value itself is. */
  shown: string | null;
  /** A problem of the value, such as an unset variable, is reported already: its consequences are not. */
  isReported: boolean;
}

/**
 * Parses YAML and puts variables in place of `${NAME}`, in text values only. `value` is undefined if the file
 * is not YAML.
 */
export function parseSource(text: string, lookup: Lookup) {
  const lines = new LineCounter();
  const lineAt = (node: unknown) => lines.linePos((node as Partial<Node> | null)?.range?.[0] ?? 0).line;
  // `logLevel`: the library's warnings on stderr quote the file
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const syntax = findSyntaxProblem(document, (offset) => lines.linePos(offset).line);
  const problems = syntax.length > 0 ? syntax : findUnusualNames(document, lineAt);
  const places = new Map<unknown, Place>();
  const value = problems.length > 0 ? undefined : read(document, lookup, places, problems, lineAt);
  const secrets = [...places.values()].flatMap((place) => place.secrets);
  const find = (path: Path) => findNode(document, path, lineAt);
  return {
    value,
    /** The problems of syntax and of variables. */
    problems,
    /** The values that may not be printed. */
    secrets: secrets.filter(({ length }) => length >= SHORTEST_SECRET),
    /** The line of the value, or of the nearest mapping around it; null for the top. */
    lineOf: (path: Path) => find(path).line,
    isReported: (path: Path) => places.get(find(path).node)?.isReported === true,
    kindOf: (path: Path) => getKind(find(path).node),
    /** The value in a form that may be printed: quoted, cut short, or `[hidden]`. */
    display: (path: Path) => display(find(path).node, places, secrets),
  };
}

/** The values of the document; undefined where its aliases cannot be resolved. */
function read(
  document: Document.Parsed,
  lookup: Lookup,
  places: Map<unknown, Place>,
  problems: Problem[],
  lineAt: (node: unknown) => number,
): unknown {
  try {
    visit(document, {
      Scalar: (role, node, above) => {
        if (role === 'key') return;
        const path = getPath([...above, node]);
        const name = path.findLast((part) => typeof part === 'string') ?? '';
        if (typeof node.value === 'number' && TEXT.has(name)) node.value = node.source ?? '';
        const { text, used, problems: found } = substitute(node.value, lookup);
        node.value = text;
        places.set(node, { ...getShown(name, node, used), isReported: found.length > 0 });
        problems.push(...found.map((message) => ({ line: lineAt(node), path, message })));
      },
    });
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    const message =
      'has an alias (*) without an anchor, or too many values behind aliases; a value that begins with * needs quotes';
    problems.push({ line: null, path: [], message });
    return undefined;
  }
}

/** Names that YAML allows, and a config does not have. */
function findUnusualNames(document: Document.Parsed, lineAt: (node: unknown) => number): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Pair: (_role, { key }) => {
      const isMerge = isScalar(key) && key.value === '<<';
      if (isScalar(key) && !isMerge) return;
      const message = isMerge
        ? 'a merge key (<<) is not supported; repeat the entries, or give a whole mapping an anchor: &NAME there, *NAME here'
        : 'a name is a list, a mapping or an alias; expected plain text';
      problems.push({ line: lineAt(key), path: [], message });
    },
  });
  return problems;
}

/** The path of the last node: the others are around it. */
function getPath(nodes: readonly unknown[]): Path {
  return nodes.flatMap((node, index): (string | number)[] => {
    if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : ['?'];
    return isSeq(node) && index < nodes.length - 1 ? [node.items.indexOf(nodes[index + 1])] : [];
  });
}

function getShown(name: string, { value, source }: Scalar, used: boolean): Pick<Place, 'secrets' | 'shown'> {
  const text = typeof value === 'string' ? value : value === null ? '' : (source ?? '');
  if (name === 'postgres') return { secrets: listPostgresSecrets(text), shown: hidePassword(text) };
  const isHidden = used || SECRET.has(name) || (name === 'proxy' && text.includes('@'));
  return isHidden && text !== '' ? { secrets: [text], shown: '[hidden]' } : { secrets: [], shown: null };
}

/** The node at a path, through aliases; where there is none, the line of the nearest one around it. */
function findNode(document: Document.Parsed, path: Path, lineAt: (node: unknown) => number) {
  let node: unknown = document.contents;
  let line: number | null = null;
  for (const part of path) {
    const around = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(around)
      ? around.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      : null;
    const entry = isSeq(around) ? around.items[Number(part)] : null;
    if (!pair && !entry) return { node: undefined, line };
    line = lineAt(pair ? pair.key : entry);
    node = pair ? pair.value : entry;
  }
  return { node: isAlias(node) ? node.resolve(document) : node, line };
}

function getKind(node: unknown): 'missing' | 'empty' | 'text' | 'other' | 'mapping' | 'list' {
  if (node === undefined) return 'missing';
  if (isMap(node)) return 'mapping';
  if (isSeq(node)) return 'list';
  const value = isScalar(node) ? node.value : null;
  if (value === null || value === '') return 'empty';
  return typeof value === 'string' ? 'text' : 'other';
}

function display(node: unknown, places: ReadonlyMap<unknown, Place>, secrets: readonly string[]): string {
  if (isMap(node)) return node.items.length > 0 ? 'a mapping' : 'an empty mapping';
  if (isSeq(node)) return node.items.length > 0 ? 'a list' : 'an empty list';
  if (!isScalar(node)) return 'nothing';
  const shown = places.get(node)?.shown;
  if (shown != null) return truncate(shown, MAX_DISPLAYED);
  const written = typeof node.value === 'string' ? node.value : (node.source ?? '');
  const hasSecret = (secret: string) =>
    written === secret || (secret.length >= SHORTEST_SECRET && written.includes(secret));
  if (mayHoldCredentials(written) || secrets.some(hasSecret)) return '[hidden]';
  const short = truncate(written, MAX_DISPLAYED);
  return typeof node.value === 'string' ? JSON.stringify(short) : short;
}

/**
 * A long word with digits may be a key whose name was forgotten; few names and values of a config have one.
 */
export const mayHoldKey = (text: string): boolean =>
  text.split(/[^\w-]/).some((word) => word.length >= 12 && /\d/.test(word));

/** A pasted address may hold a password before its host, or a key in its query. */
const mayHoldCredentials = (text: string): boolean =>
  mayHoldKey(text) || (/[@?#]/.test(text) && /:\/\/|\?\w+=/.test(text));

const NEEDS_QUOTES = 'a value that begins with * & ! @ % , or ` needs quotes';
const NAME_AND_VALUE = 'expected NAME: VALUE on the line, with a blank after the colon';
const INDENTATION = 'the entries of one mapping or list are indented alike, by blanks';
/**
 * What to do about an error of the library, by its code: its own messages are for programmers, and quote the
 * file, which may hold a key.
 */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'a tab is where blanks belong; indent by blanks',
  MULTIPLE_DOCS: 'a second document begins here; a config is one, without a line --- or ... in it',
  MULTILINE_IMPLICIT_KEY: `a name without a value; ${NAME_AND_VALUE}`,
  MISSING_CHAR: `a colon, a - or the quote or bracket that ends a value is missing here or above, or the indentation differs; ${NAME_AND_VALUE}`,
  BAD_INDENT: `the indentation differs, or a bracket above is not closed; ${INDENTATION}`,
  BLOCK_AS_IMPLICIT_KEY: `a second colon, or the next line is indented differently; a value with a colon in it needs quotes, and ${INDENTATION}`,
  UNEXPECTED_TOKEN:
    'more follows where a value has ended; a value with quotes or brackets in it needs quotes around it, and so does ${NAME} inside of { }',
  DUPLICATE_KEY: 'a name that is in this mapping already; expected each name once',
  BAD_DQ_ESCAPE: "a backslash in double quotes; write the value in single quotes: '…'",
};

/** The first syntax error, as it causes most of the others. */
function findSyntaxProblem(
  { errors, warnings }: Pick<Document.Parsed, 'errors' | 'warnings'>,
  lineAt: (offset: number) => number,
): Problem[] {
  const [first] = [...errors, ...warnings].toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (!first) return [];
  const message = `not valid YAML: ${ADVICE[first.code] ?? NEEDS_QUOTES}`;
  return [{ line: lineAt(first.pos[0]), path: [], message }];
}
