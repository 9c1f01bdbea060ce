/** Use of a page by the keyboard alone. The expressions run in the page. */
import type { Page } from 'playwright-core';

export interface Stop {
  /** The element, such as `a Lectures`; `body` where the focus is nowhere. */
  what: string;
  /** The outline is visible: it is drawn, and a part of the element is in the viewport. */
  isSeen: boolean;
}

const GET_LABEL = `(element) => [
    element.localName,
    element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ?? element.name ?? '',
    ['section', 'div', 'main', 'body'].includes(element.localName) ? '' : element.textContent,
  ].join(' ').replace(/\\s+/g, ' ').trim()`;

/**
 * All focusable elements, in the order of the document: links, buttons, fields, summaries, and boxes that
 * scroll. A date has four stops: its three parts and its button.
 */
export async function focusable(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const getLabel = ${GET_LABEL};
    const takes = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex="0"]';
    return [...document.querySelectorAll(takes)].filter((each) => each.tabIndex >= 0 && each.checkVisibility())
      .flatMap((each) => Array(each.type === 'date' ? 4 : 1).fill(getLabel(each)));
  })()`);
}

/** The element with the focus. */
export async function focused(page: Page): Promise<Stop> {
  return page.evaluate<Stop>(`(() => {
    const getLabel = ${GET_LABEL};
    const element = document.activeElement;
    if (element === document.body) return { what: 'body', isSeen: false };
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const isInSight = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight && width > 0 && height > 0;
    const isDrawn = element.matches(':focus-visible, [type="date"]:focus-within') && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    return { what: getLabel(element), isSeen: isDrawn && isInSight };
  })()`);
}

/** Presses Tab a number of times and returns the focused element after each. */
export async function tabThrough(page: Page, times: number): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let at = 0; at < times; at += 1) {
    await page.keyboard.press('Tab');
    stops.push(await focused(page));
  }
  return stops;
}
