/** Readers of a page with a chart. The expressions run in the page. */
import type { Page } from 'playwright-core';

/** Call it before the page is opened: from then on the page records every text that it paints. */
export async function recordPaintedTexts(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.painted = [];
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (...given) {
      globalThis.painted.push(given[0]);
      return fillText.apply(this, given);
    };`);
}

/** The axis labels of the last paint: call it after a change that paints them all again. */
export async function axisLabels(page: Page): Promise<{ days: string[]; sizes: string[] }> {
  const painted = await page.evaluate<string[]>(`globalThis.painted`);
  const last = painted.slice(
    painted.findLastIndex((text, at) => isDay(text) && !isDay(painted[at - 1] ?? '')),
  );
  return { days: last.filter(isDay), sizes: last.filter((text) => !isDay(text)) };
}

const isDay = (text: string) => /^(?:\d+ )?[A-Z][a-z]{2}$|^20\d\d$/.test(text);

/** Which of `--chart-1` to `--chart-5` a column of the plot shows, from the bottom up; none of them in a gap. `at` is between 0 and 1. */
export async function coloursAt(page: Page, at: number): Promise<number[]> {
  return page.evaluate<number[]>(`(() => {
    const canvas = document.querySelector('.plot canvas');
    const over = document.querySelector('.plot .u-over');
    const scale = canvas.width / canvas.clientWidth;
    const style = getComputedStyle(document.documentElement);
    const toHex = (data, i) => '#' + [0, 1, 2].map((n) => data[i + n].toString(16).padStart(2, '0')).join('');
    const names = new Map([1, 2, 3, 4, 5].map((n) => [style.getPropertyValue('--chart-' + n).trim(), n]));
    const x = Math.round((over.offsetLeft + ${at} * (over.clientWidth - 1)) * scale);
    const column = new OffscreenCanvas(1, canvas.height).getContext('2d', { willReadFrequently: true });
    column.drawImage(canvas, -x, 0);
    const { data } = column.getImageData(0, 0, 1, canvas.height);
    const found = [];
    for (let i = data.length - 4; i >= 0; i -= 4) {
      const which = names.get(toHex(data, i));
      if (which !== undefined && !found.includes(which)) found.push(which);
    }
    return found;
  })()`);
}
