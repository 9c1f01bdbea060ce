/** The plot itself: sizes on top of each other, by day. uPlot is loaded before, by a classic script. */
import type UPlot from 'uplot';
import { createAxes } from './axes.ts';
import { type Colours, readColours } from './colours.ts';
import { element } from './dom.ts';
import { stack, type StorageFigures } from './chart-data.ts';
import { canZoom } from './zoom.ts';
import { sizeAxis, type SizeAxis } from './size-axis.ts';

declare const uPlot: typeof UPlot;

const NARROW_PX = 480;
const SIZE_LABEL_PX = 44;

export interface PlotListeners {
  /** The day under the cursor, as a place in `dates`; null where there is no cursor. */
  pointed(at: number | null): void;
  /** The days at the ends of a drag; with fractions where the plot ends between two. */
  dragged(from: number, to: number): void;
  doubleClicked(): void;
}

export interface Plot {
  /** Draws other figures of the same names. */
  setFigures(figures: StorageFigures, window: readonly [min: number, max: number]): void;
  setWindow(window: readonly [min: number, max: number]): void;
  /** Fits it into its container again. */
  fit(): void;
  /** Draws with the colours of now. */
  recolour(): void;
  close(): void;
}

/** Whether there is something to draw with. */
export function isPlotLoaded(): boolean {
  return typeof uPlot !== 'undefined';
}

/** Draws into `root`, which stands in the page. */
export function createPlot(
  root: HTMLElement,
  figures: StorageFigures,
  window: readonly [min: number, max: number],
  listeners: PlotListeners,
): Plot {
  let colours = readColours();
  const now: Now = { figures, window, colours: () => colours, sizes: sizeAxis(0, 1) };
  const live = element('div', 'chart-live');
  live.append(element('span', '', 'today, live'));
  const u = new uPlot(
    { ...optionsOf(now, listeners), ...sizeOf(root), hooks: hooksOf(now, listeners, live) },
    dataOf(figures),
    root,
  );
  u.over.append(live);
  return {
    setFigures: (next, nextWindow) => {
      Object.assign(now, { figures: next, window: nextWindow });
      u.setData(dataOf(next));
      listeners.pointed(u.cursor.idx ?? null);
    },
    setWindow: (next) => {
      now.window = next;
      u.setScale('x', { min: next[0], max: next[1] });
    },
    fit: () => u.setSize(sizeOf(root)),
    recolour: () => {
      colours = readColours();
      u.redraw();
    },
    close: () => u.destroy(),
  };
}

interface Now {
  figures: StorageFigures;
  window: readonly [min: number, max: number];
  colours: () => Colours;
  /** The size axis for what is in sight. */
  sizes: SizeAxis;
}

/** The topmost sum first: what lies lower is painted later, its line in front of the area above. */
function dataOf(figures: StorageFigures): UPlot.AlignedData {
  return [[...figures.days], ...stack(figures).reverse()];
}

function sizeOf(root: HTMLElement): { width: number; height: number } {
  const width = root.clientWidth;
  return { width, height: width < NARROW_PX ? 220 : 280 };
}

function optionsOf(now: Now, listeners: PlotListeners): Omit<UPlot.Options, 'width' | 'height'> {
  const count = now.figures.names.length;
  const colour = (_u: UPlot, series: number) => colourOf(now, series);
  const series: UPlot.Series = {
    stroke: colour,
    fill: colour,
    width: 1,
    pxAlign: 0,
    points: { show: false },
  };
  return {
    padding: [22, 18, 0, 0],
    legend: { show: false },
    cursor: cursorOf(now, listeners),
    scales: {
      x: { time: false, range: () => [...now.window] },
      y: { range: (u, _min, max: number | null) => sizesInSight(u, now, max) },
    },
    axes: createAxes(now.colours, () => now.sizes),
    series: [{}, ...Array.from({ length: count }, () => ({ ...series }))],
    bands: Array.from({ length: count - 1 }, (_, at) => ({ series: [at + 1, at + 2] })),
  };
}

function cursorOf(now: Now, listeners: PlotListeners): UPlot.Cursor {
  return {
    y: false,
    move: (u, left, top) => [onDay(u, left), top],
    points: { size: 9, width: 2, stroke: () => now.colours().surface, fill: (_u, at) => colourOf(now, at) },
    drag: { x: canZoom(now.figures.days.length), y: false, setScale: false, dist: 5 },
    bind: {
      dblclick: () => () => {
        listeners.doubleClicked();
        return null;
      },
    },
  };
}

/** The place of the nearest day; a place outside of the plot stays as it is. */
function onDay(u: UPlot, left: number): number {
  if (left < 0) return left;
  const place = u.valToPos(Math.round(u.posToVal(left, 'x')), 'x');
  return Math.min(Math.max(0, place), u.over.clientWidth);
}

/** The colour of a series: the first one is the topmost, of the last name. */
function colourOf({ figures, colours }: Now, series: number): string {
  return colours().sizes[figures.names.length - series] ?? colours().ink;
}

/** From 0 to a round size; where nothing in sight has figures, as for all days. */
function sizesInSight(u: UPlot, now: Now, max: number | null): [min: number, max: number] {
  now.sizes = sizeAxis(max ?? topOf(now.figures), Math.floor(u.height / SIZE_LABEL_PX));
  return [0, now.sizes.topBytes];
}

const topOf = ({ totals }: StorageFigures) => Math.max(0, ...totals.map((total) => total ?? 0));

/** A day with a gap on both sides has no area: it stands as a column. */
function drawColumns(u: UPlot, { figures, window: [min, max], colours }: Now): void {
  const { totals, days } = figures;
  const isKnown = (at: number) => (totals[at] ?? null) !== null;
  const width = Math.max(1, uPlot.pxRatio * Math.min(28, (u.over.clientWidth / (max - min)) * 0.5));
  const sums = stack(figures);
  const base = u.valToPos(0, 'y', true);
  u.ctx.save();
  for (const [at, day] of days.entries()) {
    if (!isKnown(at) || isKnown(at - 1) || isKnown(at + 1) || day < min || day > max) continue;
    const left = Math.round(u.valToPos(day, 'x', true) - width / 2);
    for (const [which, row] of [...sums.entries()].reverse()) {
      const top = u.valToPos(row[at] ?? 0, 'y', true);
      u.ctx.fillStyle = colours().sizes[which] ?? colours().ink;
      u.ctx.fillRect(left, top, width, base - top);
    }
  }
  u.ctx.restore(); // uPlot remembers what it painted with last
}

function hooksOf(now: Now, listeners: PlotListeners, live: HTMLElement): UPlot.Hooks.Arrays {
  return {
    setCursor: [(u) => listeners.pointed(u.cursor.idx ?? null)],
    setSelect: [
      (u) => {
        const { left, width } = u.select;
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (width > 0) listeners.dragged(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
      },
    ],
    draw: [(u) => drawColumns(u, now), (u) => placeLive(u, now, live)],
  };
}

/** Stands at today's live day; its words to that side where there is space. */
function placeLive(
  u: UPlot,
  { figures: { days, liveAt }, window: [min, max] }: Now,
  live: HTMLElement,
): void {
  const day = days[liveAt];
  live.hidden = day === undefined || day < min || day > max;
  if (day === undefined || live.hidden) return;
  const left = Math.round(u.valToPos(day, 'x'));
  live.style.left = `${left}px`;
  live.classList.toggle('chart-live-left', left > u.over.clientWidth / 2);
}
