/** The box at the cursor of a chart: the figures of one point. The server draws the charts, and has the texts. */
import { createElement } from './dom.ts';

/** The response of `data-chart`. */
type PointTexts = readonly { day: string; lines: readonly (readonly [name: string, text: string])[] }[];

const TIMEOUT_MS = 30_000;

/** Watches the charts in `root`: by pointer, by touch, and with the arrow keys. */
export function watchCharts(root: ParentNode): void {
  for (const figure of root.querySelectorAll<HTMLElement>('figure.chart[data-chart]')) watchChart(figure);
}

function watchChart(figure: HTMLElement): void {
  const plot = figure.querySelector<HTMLElement>('.chart-plot');
  const count = Number(figure.dataset.points);
  if (!plot || !(count > 0)) return;
  const line = createElement('div', 'chart-line');
  const box = createElement('div', 'chart-box');
  box.setAttribute('role', 'status');
  let texts: Promise<PointTexts> | undefined;
  let shown = -1;
  const hide = () => {
    shown = -1;
    line.remove();
    box.remove();
  };
  const show = async (at: number) => {
    if (at === shown) return;
    shown = at;
    texts ??= fetchTexts(figure.dataset.chart ?? '');
    try {
      const text = (await texts)[at];
      if (shown !== at || !text) return;
      box.replaceChildren(createElement('strong', '', text.day), createList(text.lines));
    } catch (error) {
      texts = undefined; // the next move tries again
      box.replaceChildren(
        `The figures could not be read: ${error instanceof Error ? error.message : String(error)}.`,
      );
    }
    const share = (at + 0.5) / count;
    line.style.left = `${share * 100}%`;
    box.style.left = share < 0.5 ? `calc(${share * 100}% + 12px)` : 'auto';
    box.style.right = share < 0.5 ? 'auto' : `calc(${(1 - share) * 100}% + 12px)`;
    plot.append(line, box);
  };
  const toPoint = ({ clientX }: PointerEvent) => {
    const { left, width } = plot.getBoundingClientRect();
    return Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count)));
  };
  plot.tabIndex = 0;
  plot.setAttribute('role', 'group');
  plot.setAttribute('aria-label', 'Figures by day: arrow keys move');
  plot.addEventListener('pointermove', (event) => void show(toPoint(event)));
  plot.addEventListener('pointerdown', (event) => void show(toPoint(event)));
  plot.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType === 'mouse') hide(); // a finger leaves at once
  });
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', (event) => {
    const from = shown === -1 ? count : shown;
    const next = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: count - 1 }[event.key];
    if (event.key === 'Escape') hide();
    if (next === undefined) return;
    event.preventDefault();
    void show(Math.min(count - 1, Math.max(0, next)));
  });
}

function createList(lines: PointTexts[number]['lines']): HTMLElement {
  const list = createElement('dl', '');
  for (const [name, text] of lines) list.append(createElement('dt', '', name), createElement('dd', '', text));
  return list;
}

async function fetchTexts(url: string): Promise<PointTexts> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { cache: 'no-cache', headers: { accept: 'application/json' }, signal });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return (await response.json()) as PointTexts;
}
