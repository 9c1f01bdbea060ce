/**
 * JSON as text, for what JSON.parse loses: the digits of a number, and a name that an object has twice. Every
 * function here but `measureJson` takes text that JSON.parse has accepted. Each reads its text once, from the
 * beginning to the end.
 */

/** Codes of characters. */
const [TAB, LINE_FEED, CARRIAGE_RETURN, BLANK] = [9, 10, 13, 32];
const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** How large the parsed text would be. */
export interface JsonSize {
  /** Members of all objects. */
  members: number;
  /** Values, at most: lists, objects, and what they hold. */
  values: number;
  /** Levels of lists and objects within each other. */
  depth: number;
}

/** Measures the text before it is parsed. Of text that is not JSON, the figures mean nothing. */
export function measureJson(text: string): JsonSize {
  let members = 0;
  let values = 1;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === COMMA) values++;
    else if (code === COLON) members++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return { members, values, depth: deepest };
}

/** The position of the quote that ends the string; that of the end of the text where none does. */
function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escape = at;
    while (text.charCodeAt(escape - 1) === BACKSLASH) escape--;
    if ((at - escape) % 2 === 0) return at;
  }
  return text.length;
}

/** The elements of a list, each as its text. */
export function listElements(list: string): string[] {
  const elements: string[] = [];
  const cursor = { text: list, at: 0 };
  readItems(cursor, () => elements.push(readText(cursor)));
  return elements;
}

/**
 * The members of an object in their order, each value as its text; a name that comes twice is there twice.
 */
export function listMembers(object: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  const cursor = { text: object, at: 0 };
  readItems(cursor, () => members.push([readName(cursor), readText(cursor)]));
  return members;
}

/**
 * Writes the value without blanks, with every number as it was written, and the members of each object in the
 * order of their names, so that two orders of one object give one text. A name that comes twice is written
 * twice. `mapText` replaces each string and each name. The depth must be limited: each level is a call within
 * a call.
 */
export function rewriteJson(value: string, mapText = (text: string) => text): string {
  return rewriteValue({ text: value, at: 0 }, mapText);
}

function rewriteValue(cursor: Cursor, mapText: (text: string) => string): string {
  const opening = peek(cursor);
  if (opening === QUOTE) return JSON.stringify(mapText(readString(cursor)));
  if (opening === OPEN_LIST) {
    const elements: string[] = [];
    readItems(cursor, () => elements.push(rewriteValue(cursor, mapText)));
    return `[${elements.join(',')}]`;
  }
  if (opening !== OPEN_OBJECT) return readText(cursor);
  const members: { name: string; text: string }[] = [];
  readItems(cursor, () => members.push({ name: readName(cursor), text: rewriteValue(cursor, mapText) }));
  members.sort((one, other) => compareTexts(one.name, other.name));
  const written = members.map(({ name, text }) => `${JSON.stringify(mapText(name))}:${text}`);
  return `{${written.join(',')}}`;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** How far a text was read. */
interface Cursor {
  readonly text: string;
  at: number;
}

/**
 * Moves to the next character that is no blank, and returns its code; NaN, which equals no code, at the end.
 */
function peek(cursor: Cursor): number {
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (code !== BLANK && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return code;
  }
  return NaN;
}

/** Reads a list or an object: calls `readItem` at each element or member, which it must read to its end. */
function readItems(cursor: Cursor, readItem: () => unknown): void {
  peek(cursor);
  cursor.at++;
  for (let code = peek(cursor); code !== CLOSE_LIST && code !== CLOSE_OBJECT; code = peek(cursor)) {
    if (code === COMMA) cursor.at++;
    else readItem();
  }
  cursor.at++;
}

function readString(cursor: Cursor): string {
  peek(cursor);
  const start = cursor.at;
  cursor.at = findStringEnd(cursor.text, start) + 1;
  const written = cursor.text.slice(start, cursor.at);
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
}

/** Reads the name of a member, and the colon after it. */
function readName(cursor: Cursor): string {
  const name = readString(cursor);
  peek(cursor);
  cursor.at++;
  return name;
}

/** Reads a value of any kind as its text. */
function readText(cursor: Cursor): string {
  const { text } = cursor;
  peek(cursor);
  const start = cursor.at;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (depth === 0 && (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT)) {
      cursor.at = at;
      return text.slice(start, at).trimEnd();
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  cursor.at = text.length;
  return text.slice(start).trimEnd();
}
