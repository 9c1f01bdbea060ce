/** The plot: stacked sizes by day. A classic script loads uPlot before. */
import type UPlot from 'uplot';
import { type AxesState, createAxes } from './axes.ts';
import { readColours } from './colours.ts';
import { createElement } from './dom.ts';
import { stack, type StorageData } from './chart-data.ts';
import { canZoom, type Window } from './zoom.ts';
import { createSizeAxis } from './size-axis.ts';

declare const uPlot: typeof UPlot;

const NARROW_PX = 480;
const SIZE_LABEL_PX = 44;

interface PlotListeners {
  /** The index in `dates` of the day under the cursor; null without a cursor. */
  onPoint(index: number | null): void;
  /** The day numbers at the ends of a drag, with fractions. */
  onDrag(from: number, to: number): void;
  onDoubleClick(): void;
}

export type Plot = ReturnType<typeof createPlot>;

export function isPlotLoaded(): boolean {
  return typeof uPlot !== 'undefined';
}

/** `root` must be in the document. */
export function createPlot(root: HTMLElement, data: StorageData, window: Window, listeners: PlotListeners) {
  const state: State = { data, window, colours: readColours(), sizes: createSizeAxis(0, 1) };
  const live = createElement('div', 'chart-live');
  live.append(createElement('span', '', 'today, live'));
  const u = new uPlot(
    { ...buildOptions(state, listeners), ...getSize(root), hooks: buildHooks(state, listeners, live) },
    toSeries(data),
    root,
  );
  u.over.append(live);
  return {
    /** The names must be the same. */
    setData: (next: StorageData, nextWindow: Window) => {
      Object.assign(state, { data: next, window: nextWindow });
      u.setData(toSeries(next));
      listeners.onPoint(u.cursor.idx ?? null);
    },
    setWindow: (next: Window) => {
      state.window = next;
      u.setScale('x', { min: next[0], max: next[1] });
    },
    /** Adapts the size to the container. */
    fit: () => u.setSize(getSize(root)),
    /** Reads the colours of the page again. */
    recolour: () => {
      state.colours = readColours();
      u.redraw();
    },
    close: () => u.destroy(),
  };
}

interface State extends AxesState {
  data: StorageData;
  window: Window;
}

/** The topmost sum first: lower areas are painted later, over it. */
function toSeries(data: StorageData): UPlot.AlignedData {
  return [[...data.days], ...stack(data).reverse()];
}

function getSize(root: HTMLElement): { width: number; height: number } {
  const width = root.clientWidth;
  return { width, height: width < NARROW_PX ? 220 : 280 };
}

function buildOptions(state: State, listeners: PlotListeners): Omit<UPlot.Options, 'width' | 'height'> {
  const count = state.data.names.length;
  const colour = (_u: UPlot, series: number) => getColour(state, series);
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
    cursor: buildCursor(state, listeners),
    scales: {
      x: { time: false, range: () => [...state.window] },
      y: { range: (u, _min, max: number | null) => getSizeRange(u, state, max) },
    },
    axes: createAxes(state),
    series: [{}, ...Array.from({ length: count }, () => ({ ...series }))],
    bands: Array.from({ length: count - 1 }, (_, at) => ({ series: [at + 1, at + 2] })),
  };
}

function buildCursor(state: State, listeners: PlotListeners): UPlot.Cursor {
  return {
    y: false,
    move: (u, left, top) => [snapToDay(u, left), top],
    points: {
      size: 9,
      width: 2,
      stroke: () => state.colours.surface,
      fill: (_u, at) => getColour(state, at),
    },
    drag: { x: canZoom(state.data.days.length), y: false, setScale: false, dist: 5 },
    bind: {
      dblclick: () => () => {
        listeners.onDoubleClick();
        return null;
      },
    },
  };
}

/** The x position of the nearest day, in pixels; a negative one is outside of the plot. */
function snapToDay(u: UPlot, left: number): number {
  if (left < 0) return left;
  const x = u.valToPos(Math.round(u.posToVal(left, 'x')), 'x');
  return Math.min(Math.max(0, x), u.over.clientWidth);
}

/** The first series is the topmost, of the last name. */
function getColour({ data, colours }: State, series: number): string {
  return colours.sizes[data.names.length - series] ?? colours.ink;
}

/** From 0 to a round size; if no visible day has a size, as for all days. */
function getSizeRange(u: UPlot, state: State, max: number | null): [min: number, max: number] {
  const maxTotal = max ?? Math.max(0, ...state.data.totals.map((total) => total ?? 0));
  state.sizes = createSizeAxis(maxTotal, Math.floor(u.height / SIZE_LABEL_PX));
  return [0, state.sizes.topBytes];
}

/** A day between two gaps has no area, so it is drawn as a column. */
function drawColumns(u: UPlot, { data, window: [min, max], colours }: State): void {
  const { totals, days } = data;
  const isKnown = (index: number) => (totals[index] ?? null) !== null;
  const width = Math.max(1, uPlot.pxRatio * Math.min(28, (u.over.clientWidth / (max - min)) * 0.5));
  const sums = stack(data);
  const base = u.valToPos(0, 'y', true);
  u.ctx.save();
  for (const [index, day] of days.entries()) {
    if (!isKnown(index) || isKnown(index - 1) || isKnown(index + 1) || day < min || day > max) continue;
    const left = Math.round(u.valToPos(day, 'x', true) - width / 2);
    for (const [series, row] of [...sums.entries()].reverse()) {
      const top = u.valToPos(row[index] ?? 0, 'y', true);
      u.ctx.fillStyle = colours.sizes[series] ?? colours.ink;
      u.ctx.fillRect(left, top, width, base - top);
    }
  }
  u.ctx.restore(); // uPlot caches the last fill style
}

function buildHooks(state: State, listeners: PlotListeners, live: HTMLElement): UPlot.Hooks.Arrays {
  return {
    setCursor: [(u) => listeners.onPoint(u.cursor.idx ?? null)],
    setSelect: [
      (u) => {
        const { left, width } = u.select;
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (width > 0) listeners.onDrag(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
      },
    ],
    draw: [(u) => drawColumns(u, state), (u) => placeLive(u, state, live)],
  };
}

/** Marks today's live day, with the label on the side that has space. */
function placeLive(
  u: UPlot,
  { data: { days, liveIndex }, window: [min, max] }: State,
  live: HTMLElement,
): void {
  const day = days[liveIndex];
  live.hidden = day === undefined || day < min || day > max;
  if (day === undefined || live.hidden) return;
  const left = Math.round(u.valToPos(day, 'x'));
  live.style.left = `${left}px`;
  live.classList.toggle('chart-live-left', left > u.over.clientWidth / 2);
}
