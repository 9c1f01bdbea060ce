/**
 * Parses a page as strictly as the renderer writes it: anything that a browser would have to repair or guess
 * is rejected.
 */

export interface Element {
  name: string;
  attributes: ReadonlyMap<string, string>;
  parent: Element | null;
  children: (Element | string)[];
}

const VOID = ['meta', 'link', 'input'];
const TAG = /<([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9-]*(?:="[^"<]*")?)*) ?(\/?)>/y;
const ATTRIBUTE = / ([a-zA-Z][a-zA-Z0-9-]*)(?:="([^"]*)")?/g;
const END = /<\/([a-z][a-z0-9]*)>/y;
const TEXT = /[^<]+/y;
const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/**
 * The root of a page, or of a fragment: its only element is `html` where there is a doctype. Throws for any
 * other syntax.
 */
export function readHtml(html: string): Element {
  const root: Element = { name: '', attributes: new Map(), parent: null, children: [] };
  let open = root;
  let at = html.startsWith('<!doctype html>\n') ? '<!doctype html>\n'.length : 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(html);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < html.length) {
    const [text] = next(TEXT) ?? [];
    if (text !== undefined) {
      open.children.push(unescaped(text));
      continue;
    }
    const [, ended] = next(END) ?? [];
    if (ended !== undefined) {
      if (open.name !== ended || !open.parent) throw new Error(`</${ended}> ends <${open.name}>`);
      open = open.parent;
      continue;
    }
    const [, name, attributeText = '', slash] = next(TAG) ?? [];
    if (name === undefined) throw new Error(`not a tag: ${html.slice(at, at + 100)}`);
    const element: Element = { name, attributes: parseAttributes(attributeText), parent: open, children: [] };
    open.children.push(element);
    if (slash !== '/' && !VOID.includes(name)) open = element;
  }
  if (open !== root) throw new Error(`<${open.name}> is not closed`);
  return root;
}

function parseAttributes(attributeText: string): Map<string, string> {
  const all = [...attributeText.matchAll(ATTRIBUTE)].map(
    ([, name = '', value = '']) => [name, unescaped(value)] as const,
  );
  const attributes = new Map(all);
  if (attributes.size !== all.length) throw new Error(`duplicate attribute:${attributeText}`);
  return attributes;
}

function unescaped(text: string): string {
  return text.replaceAll(/&(\w*);?/g, (escaped, name: string) => {
    const sign = SIGNS[name];
    if (sign === undefined || !escaped.endsWith(';'))
      throw new Error(`unknown character reference: ${escaped}`);
    return sign;
  });
}

/** The element and all below it, in the order of the page. */
export function listElements(element: Element): Element[] {
  return [
    element,
    ...element.children.flatMap((child) => (typeof child === 'string' ? [] : listElements(child))),
  ];
}

/** All of this name below an element. */
export function named(element: Element, ...names: string[]): Element[] {
  return listElements(element).filter(({ name }) => names.includes(name));
}

export function byId(element: Element, id: string): Element {
  const [found, ...others] = listElements(element).filter(({ attributes }) => attributes.get('id') === id);
  if (!found || others.length > 0)
    throw new Error(`${others.length + (found ? 1 : 0)} elements have the id ${id}`);
  return found;
}

/** Its text, exactly. */
export function getExactText(element: Element): string {
  return element.children.map((child) => (typeof child === 'string' ? child : getExactText(child))).join('');
}

/** Inline elements. */
const INLINE = ['a', 'bdi', 'code', 'del', 'i', 'ins', 'small', 'span', 'strong', 'time'];

/** Its text with single spaces, also between blocks. */
export function getText(element: Element): string {
  return getSpacedText(element).replaceAll(/\s+/g, ' ').trim();
}

function getSpacedText({ name, children }: Element): string {
  const text = children.map((child) => (typeof child === 'string' ? child : getSpacedText(child))).join('');
  return INLINE.includes(name) ? text : ` ${text} `;
}

/** The text of each cell of each row of the tables in it. */
export function rowsIn(element: Element): string[][] {
  return named(element, 'tr').map((row) => named(row, 'th', 'td').map(getText));
}

/** Address and text of each link in it. */
export function linksIn(element: Element): [address: string, text: string][] {
  return named(element, 'a').map((link) => [link.attributes.get('href') ?? '', getText(link)]);
}
