/** Swaps parts of the page for newer ones. A part is an element with an id and `data-part`. */

/** True if the part contains the focused element or some of the selection. */
function isInUse(part: Element): boolean {
  const selection = getSelection();
  const isSelected =
    selection !== null &&
    !selection.isCollapsed &&
    selection.rangeCount > 0 &&
    selection.getRangeAt(0).intersectsNode(part);
  return isSelected || (part.contains(document.activeElement) && document.activeElement !== document.body);
}

/**
 * Replaces the content, but keeps which `<details>` with an id are open, and how far elements are scrolled.
 */
function replaceContent(part: Element, content: readonly Node[]): void {
  const openById = new Map(findDetails(part).map(({ id, open }) => [id, open]));
  const scrolled = findElements(part).filter(({ scrollLeft, scrollTop }) => scrollLeft > 0 || scrollTop > 0);
  const positions = scrolled.map((each) => ({
    key: getKey(part, each),
    left: each.scrollLeft,
    top: each.scrollTop,
  }));
  part.replaceChildren(...content);
  for (const each of findDetails(part)) each.open = openById.get(each.id) ?? each.open;
  if (positions.length === 0) return;
  const byKey = new Map(findElements(part).map((each) => [getKey(part, each), each]));
  for (const { key, left, top } of positions) byKey.get(key)?.scrollTo({ left, top, behavior: 'instant' });
}

const findElements = (part: Element) => [...part.querySelectorAll<HTMLElement>('[class], [id]')];
const findDetails = (part: Element) => [...part.querySelectorAll<HTMLDetailsElement>('details[id]')];

/** The key of an element: its id, or its class and the index among elements of that class. */
function getKey(part: Element, each: Element): string {
  const siblings = [...part.getElementsByClassName(each.className)];
  return each.id === '' ? `${each.className} ${siblings.indexOf(each)}` : `#${each.id}`;
}

/**
 * The returned function takes over the parts that changed on the server and are not in use, and returns them.
 * Must be called before any script changes the page: it remembers each part as it was served.
 */
export function createPartSwapper(): (newer: Document) => HTMLElement[] {
  const findParts = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('[data-part][id]')];
  const served = new Map(findParts(document).map((part) => [part.id, part.outerHTML]));
  return (newer) =>
    findParts(document).filter((part) => {
      const next = newer.getElementById(part.id);
      const isChanged = part.isConnected && next !== null && served.get(part.id) !== next.outerHTML;
      if (!isChanged || isInUse(part)) return false;
      replaceContent(part, [...next.cloneNode(true).childNodes]);
      copyAttributes(part, next);
      for (const each of [next, ...findParts(next)]) served.set(each.id, each.outerHTML);
      return true;
    });
}

function copyAttributes(part: Element, next: Element): void {
  for (const name of part.getAttributeNames()) if (!next.hasAttribute(name)) part.removeAttribute(name);
  for (const { name, value } of next.attributes) part.setAttribute(name, value);
}
