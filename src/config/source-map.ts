/** The places of the values in a config file, and how each value may be printed. */

/** The keys and indexes that lead to a value, from the top. */
export type Path = readonly (string | number)[];

/** One value of the file. */
export interface Place {
  /** Counted from 1; null for the complete file. */
  readonly line: number | null;
  readonly kind: 'mapping' | 'list' | 'text' | 'other';
  /** The value as the file has it; '' where nothing is set. */
  readonly written: string;
  /** A key, or a value with variables: never printed. */
  readonly hidden: boolean;
  /** What is printed in place of the value; left out: the value. */
  readonly shown?: string;
  /** Parts of the value that are never printed. */
  readonly secrets?: readonly string[];
  /** A problem of this value is reported already (an unset variable): its consequences are not reported too. */
  readonly alreadyReported: boolean;
}

const MAX_DISPLAYED = 60;
/** Shorter secrets are not searched for inside of other values: they would match everywhere. */
const SHORTEST_SECRET = 4;

export type SourceMap = ReturnType<typeof createSourceMap>;

/** All places of one file. */
export function createSourceMap() {
  const places = new Map<string, Place>();
  const secrets = new Set<string>();
  const at = (path: Path) => places.get(JSON.stringify(path));
  return {
    /** By default a place is empty, of kind `other`, and may be printed. */
    add: (path: Path, given: Pick<Place, 'line'> & Partial<Place>): void => {
      const place = { kind: 'other', written: '', hidden: false, alreadyReported: false, ...given } as const;
      places.set(JSON.stringify(path), place);
      if (place.hidden && place.written !== '') secrets.add(place.written);
      for (const secret of place.secrets ?? []) secrets.add(secret);
    },
    at,
    /** The values that may not be printed, the shortest ones left out: they would match everywhere. */
    secrets: (): string[] => [...secrets].filter(({ length }) => length >= SHORTEST_SECRET),
    /** The line of the value, or of the nearest mapping around it; null for the top. */
    lineOf: (path: Path): number | null => {
      for (let length = path.length; length > 0; length -= 1) {
        const place = at(path.slice(0, length));
        if (place) return place.line;
      }
      return null;
    },
    /** The value in a form that may be printed: quoted, cut short, or `[hidden]`. */
    displayValue: (path: Path): string => {
      const place = at(path);
      return place ? toDisplay(place, secrets) : 'nothing';
    },
  };
}

function toDisplay(place: Place, secrets: ReadonlySet<string>): string {
  if (place.kind === 'mapping' || place.kind === 'list') return place.written;
  if (place.shown !== undefined) return toShort(place.shown);
  if (place.hidden || containsSecret(place.written, secrets)) return '[hidden]';
  const text = withoutCredentials(place.written);
  const short = toShort(text);
  return place.kind === 'text' ? JSON.stringify(short) : short;
}

function toShort(text: string): string {
  return text.length > MAX_DISPLAYED ? `${text.slice(0, MAX_DISPLAYED - 1)}…` : text;
}

function containsSecret(text: string, secrets: ReadonlySet<string>): boolean {
  for (const secret of secrets) {
    if (text === secret || (secret.length >= SHORTEST_SECRET && text.includes(secret))) return true;
  }
  return false;
}

/** A pasted address may hold a key in its query, or a password before its host. */
function withoutCredentials(text: string): string {
  if (!/:\/\/|\?\w+=/.test(text)) return text;
  return withoutPassword(text).replace(/([?#]).+$/s, '$1[hidden]');
}

/** By positions: a pattern would take quadratic time. */
function withoutPassword(text: string): string {
  const start = text.indexOf('://') + '://'.length;
  const end = text.lastIndexOf('@');
  return start < '://'.length || end < start ? text : `${text.slice(0, start)}[hidden]${text.slice(end)}`;
}

/** A path as text: `accounts[0].limits.per_second`. A name is cut at any other character, which may belong to a value. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${plainStart(part)}`))
    .join('');
}

function plainStart(name: string): string {
  const start = /^[\w-]*/.exec(name)?.[0] ?? '';
  return start === name ? name : `${start}…`;
}
