/** The content of a chart's figure: the plot, the zoom buttons, and the sizes of one day. */
import { createElement } from './dom.ts';
import { findLastKnown, type StorageData } from './chart-data.ts';
import { createLegend } from './legend.ts';
import { createPlot, isPlotLoaded, type Plot } from './plot.ts';
import { ALL_DAYS, canZoom, createZoomButtons, getWindow, type Window, type Zoom } from './zoom.ts';
import { formatSize } from './size-axis.ts';

interface State {
  root: HTMLElement;
  legend: ReturnType<typeof createLegend>;
  buttons: ReturnType<typeof createZoomButtons>;
  zoom: Zoom;
  drawn: { plot: Plot; data: StorageData } | undefined;
}

export function createChartView() {
  const view: State = {
    root: createElement('div', 'plot'),
    legend: createLegend(),
    buttons: createZoomButtons((zoom) => setZoom(view, zoom)),
    zoom: ALL_DAYS,
    drawn: undefined,
  };
  view.root.setAttribute('role', 'img');
  const nodes = [view.root, view.buttons.root, view.legend.root];
  const resizeObserver = new ResizeObserver(() => {
    if (view.root.clientWidth > 0) view.drawn?.plot.fit();
  });
  resizeObserver.observe(view.root);
  const clear = () => {
    view.drawn?.plot.close();
    view.drawn = undefined;
    for (const node of nodes) node.remove();
  };
  return {
    /** Its elements in the figure, the plot first. */
    nodes,
    /** Draws, or updates. Without any size it removes everything. Throws if uPlot is not loaded. */
    draw: (figure: HTMLElement, data: StorageData) => {
      if (!isPlotLoaded()) throw new Error('uPlot was not loaded');
      const points = data.totals.filter((total) => total !== null).length;
      if (points === 0 || !isCompatible(view.drawn?.data ?? data, data)) clear();
      if (points > 0) {
        if (!view.drawn) figure.prepend(...nodes);
        show(view, data);
      }
      Object.assign(figure.dataset, { points, days: data.dates.length });
    },
    recolour: () => view.drawn?.plot.recolour(),
    close: () => {
      clear();
      resizeObserver.disconnect();
    },
  };
}

function show(view: State, data: StorageData): void {
  view.zoom = limitZoom(view.zoom, data);
  const window = toWindow(data, view.zoom);
  if (view.drawn) {
    view.drawn.data = data;
    view.drawn.plot.setData(data, window);
  } else {
    const plot = createPlot(view.root, data, window, {
      onPoint: (index) => view.legend.show(view.drawn?.data ?? data, index),
      onDrag: (from, to) => setZoom(view, { from, to }),
      onDoubleClick: () => setZoom(view, ALL_DAYS),
    });
    view.drawn = { plot, data };
    view.legend.show(data, null);
  }
  view.root.setAttribute('aria-label', describePlot(data));
  view.buttons.show(data.days.length, view.zoom, `Days in the chart of ${data.account}`);
}

function setZoom(view: State, zoom: Zoom): void {
  if (!view.drawn) return;
  const { data, plot } = view.drawn;
  view.zoom = limitZoom(zoom, data);
  plot.setWindow(toWindow(data, view.zoom));
  view.buttons.press(view.zoom);
}

/** All days if there are at most as many as the zoom shows. */
function limitZoom(zoom: Zoom, { days }: StorageData): Zoom {
  return typeof zoom === 'number' && zoom >= days.length ? ALL_DAYS : zoom;
}

function toWindow({ days }: StorageData, zoom: Zoom): Window {
  return getWindow(zoom, days[0] ?? 0, days.at(-1) ?? 0);
}

/** True if one plot can show both. */
function isCompatible(one: StorageData, other: StorageData): boolean {
  const hasSameNames = one.names.join('\n') === other.names.join('\n');
  return hasSameNames && canZoom(one.days.length) === canZoom(other.days.length);
}

/** A sentence for screen readers. */
function describePlot(data: StorageData): string {
  const { account, dates, totals } = data;
  const describeDay = (index: number) => `${formatSize(totals[index] ?? 0)} on ${dates[index] ?? ''}`;
  const [from, to] = [totals.findIndex((total) => total !== null), findLastKnown(data)];
  const isLive = to === data.liveIndex ? ' (today, live)' : '';
  return from === to
    ? `Storage of ${account}: ${describeDay(to)}${isLive}, the only day with sizes.`
    : `Storage of ${account} by day: from ${describeDay(from)} to ${describeDay(to)}${isLive}.`;
}
