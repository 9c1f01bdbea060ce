/** Takes secrets out of texts, in any notation: a service may echo a key encoded. */

/**
 * The fewest characters of a secret that can be taken out of any text: a shorter one is a part of many words.
 */
export const SHORTEST_SECRET = 4;

const patterns = new Map<string, RegExp>();

/**
 * The text without any of the secrets, which it may have plain, percent-encoded, as in a query, in JSON or in
 * HTML, also mixed; or in base64 or hexadecimal.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((one, other) => other.length - one.length);
  return longestFirst.reduce((clean, secret) => clean.replace(getPattern(secret), '[key]'), text);
}

/** The value without secrets in any text in it. */
export function redactAll<Value>(value: Value, secrets: readonly string[]): Value {
  const redactEach = (inner: unknown): unknown => {
    if (typeof inner === 'string') return redact(inner, secrets);
    if (Array.isArray(inner)) return inner.map(redactEach);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, redactEach(each)]));
  };
  return redactEach(value) as Value;
}

function getPattern(secret: string): RegExp {
  const known = patterns.get(secret);
  if (known) return known;
  const parts = secret.match(/%[\da-f]{2}|./gisu) ?? [];
  const forms = [
    parts.map(toPattern).join(''),
    ...listBase64(secret),
    anyCase(Buffer.from(secret).toString('hex')),
  ];
  const pattern = new RegExp(forms.join('|'), 'g');
  patterns.set(secret, pattern);
  return pattern;
}

/** The fewest characters of a form in base64 that is searched for: a shorter one may well be another text. */
const SHORTEST_BASE64 = 5;

/**
 * The secret within a text in base64, in either alphabet: three bytes are four characters, so there are three
 * forms, for the places where it may begin. A character that it shares with what is before or after it is not
 * part of a form.
 */
function listBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const end = (before + bytes.length) % 3 === 0 ? text.length : -1;
    return text.slice(before === 0 ? 0 : before + 1, end);
  });
  const long = forms.filter(({ length }) => length >= SHORTEST_BASE64);
  return long.map((form) => form.replaceAll('+', '[+-]').replaceAll('/', '[/_]'));
}

/** A pattern for a character, or for a byte that the secret itself has percent-encoded, in either case. */
function toPattern(part: string): string {
  const [first = '', ...digits] = part;
  const inAnyCase = digits.map(
    (digit) => `(?:${anyNotation(digit.toLowerCase())}|${anyNotation(digit.toUpperCase())})`,
  );
  return anyNotation(first) + inAnyCase.join('');
}

const ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** A pattern for one character in any notation that texts on the web have for it. */
function anyNotation(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const percent = [...Buffer.from(character)].map(
    (byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`,
  );
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const json = units.map((unit) => `\\\\u${anyCase(unit.toString(16).padStart(4, '0'))}`);
  const html = [`&#0*${code};?`, `&#[xX]0*${anyCase(code.toString(16))};?`];
  const entity = ENTITIES[character];
  if (entity) html.push(`&${entity};`);
  const escaped = /["\\/]/.test(character) ? [`\\\\${literal}`] : [];
  const plus = character === ' ' ? ['\\+'] : [];
  return `(?:${[...html, ...escaped, json.join(''), percent.join(''), ...plus, literal].join('|')})`;
}

function anyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
