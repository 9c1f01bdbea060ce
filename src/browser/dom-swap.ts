/** The parts of the page that are swapped for newer ones: elements with an id and `data-part`. */

/** Whether the viewer is at work in it: it holds the focused element, or a part of the selection. */
export function isHeld(part: Element): boolean {
  const selection = getSelection();
  const isSelected =
    selection !== null &&
    !selection.isCollapsed &&
    selection.rangeCount > 0 &&
    selection.getRangeAt(0).intersectsNode(part);
  return isSelected || (part.contains(document.activeElement) && document.activeElement !== document.body);
}

/** Puts other content into a part; each `<details>` with an id stays open or closed, and what was scrolled stays so. */
export function replaceContent(part: Element, content: readonly Node[]): void {
  const opened = new Map(detailsIn(part).map(({ id, open }) => [id, open]));
  const scrolled = elementsIn(part).filter(({ scrollLeft, scrollTop }) => scrollLeft > 0 || scrollTop > 0);
  const places = scrolled.map((each) => ({
    key: keyOf(part, each),
    left: each.scrollLeft,
    top: each.scrollTop,
  }));
  part.replaceChildren(...content);
  for (const each of detailsIn(part)) each.open = opened.get(each.id) ?? each.open;
  if (places.length === 0) return;
  const byKey = new Map(elementsIn(part).map((each) => [keyOf(part, each), each]));
  for (const { key, left, top } of places) byKey.get(key)?.scrollTo({ left, top, behavior: 'instant' });
}

const elementsIn = (part: Element) => [...part.querySelectorAll<HTMLElement>('[class], [id]')];
const detailsIn = (part: Element) => [...part.querySelectorAll<HTMLDetailsElement>('details[id]')];

/** Its id, or which one of its class it is in the part. */
function keyOf(part: Element, each: Element): string {
  const alike = [...part.getElementsByClassName(each.className)];
  return each.id === '' ? `${each.className} ${alike.indexOf(each)}` : `#${each.id}`;
}

export interface Parts {
  /** Takes over from a newer page what differs and is not held; the parts that got new content. */
  swap(newer: Document): HTMLElement[];
}

/** Begins with the page as it was served: to be called before anything of it is changed. */
export function createParts(): Parts {
  const findParts = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('[data-part][id]')];
  const served = new Map(findParts(document).map((part) => [part.id, part.outerHTML]));
  return {
    swap: (newer) =>
      findParts(document).filter((part) => {
        const next = newer.getElementById(part.id);
        const isDue = part.isConnected && next !== null && served.get(part.id) !== next.outerHTML;
        if (!isDue || isHeld(part)) return false;
        replaceContent(part, [...next.cloneNode(true).childNodes]);
        takeAttributes(part, next);
        for (const each of [next, ...findParts(next)]) served.set(each.id, each.outerHTML);
        return true;
      }),
  };
}

/** The class of a part may tell its state, and it may be hidden. */
function takeAttributes(part: Element, next: Element): void {
  for (const name of part.getAttributeNames()) if (!next.hasAttribute(name)) part.removeAttribute(name);
  for (const { name, value } of next.attributes) part.setAttribute(name, value);
}
