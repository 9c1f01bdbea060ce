/** What stands in the figure of a chart: the plot, the figures of one day below it, and the buttons for what is in sight. */
import { element } from './dom.ts';
import { countKnown, lastKnown, type StorageFigures } from './chart-data.ts';
import { createLegend, type Legend } from './legend.ts';
import { createPlot, isPlotLoaded, type Plot } from './plot.ts';
import { canZoom, createRanges, type Ranges, windowOf, type Zoom } from './zoom.ts';
import { sizeWords } from './size-axis.ts';

export interface Drawing {
  /** What it puts into the figure, the plot first. */
  readonly nodes: readonly HTMLElement[];
  /** Draws for the first time or anew; with no figures at all, nothing is left. Throws where uPlot was not loaded. */
  draw(figure: HTMLElement, figures: StorageFigures): void;
  recolour(): void;
  close(): void;
}

interface View {
  root: HTMLElement;
  legend: Legend;
  ranges: Ranges;
  zoom: Zoom;
  /** What is drawn now, and of which figures. */
  drawn: { plot: Plot; figures: StorageFigures } | undefined;
}

export function createDrawing(): Drawing {
  const view: View = {
    root: element('div', 'plot'),
    legend: createLegend(),
    ranges: createRanges((zoom) => look(view, zoom)),
    zoom: 'all',
    drawn: undefined,
  };
  view.root.setAttribute('role', 'img');
  const nodes = [view.root, view.ranges.root, view.legend.root];
  const widths = new ResizeObserver(() => {
    if (view.root.clientWidth > 0) view.drawn?.plot.fit();
  });
  widths.observe(view.root);
  const clear = () => {
    view.drawn?.plot.close();
    view.drawn = undefined;
    for (const node of nodes) node.remove();
  };
  return {
    nodes,
    draw: (figure, figures) => {
      if (!isPlotLoaded()) throw new Error('what draws it was not loaded');
      if (lastKnown(figures) < 0 || !isAlike(view.drawn?.figures ?? figures, figures)) clear();
      if (lastKnown(figures) >= 0) {
        if (!view.drawn) figure.prepend(...nodes);
        show(view, figures);
      }
      Object.assign(figure.dataset, { points: countKnown(figures), days: figures.dates.length });
    },
    recolour: () => view.drawn?.plot.recolour(),
    close: () => {
      clear();
      widths.disconnect();
    },
  };
}

function show(view: View, figures: StorageFigures): void {
  view.zoom = settle(view.zoom, figures);
  const window = windowIn(figures, view.zoom);
  if (view.drawn) {
    view.drawn.figures = figures;
    view.drawn.plot.setFigures(figures, window);
  } else {
    const plot = createPlot(view.root, figures, window, {
      pointed: (at) => view.legend.show(view.drawn?.figures ?? figures, at),
      dragged: (from, to) => look(view, { from, to }),
      doubleClicked: () => look(view, 'all'),
    });
    view.drawn = { plot, figures };
    view.legend.show(figures, null);
  }
  view.root.setAttribute('aria-label', sentenceOf(figures));
  view.ranges.show(figures.days.length, view.zoom, `Days in the chart of ${figures.account}`);
}

function look(view: View, zoom: Zoom): void {
  if (!view.drawn) return;
  const { figures, plot } = view.drawn;
  view.zoom = settle(zoom, figures);
  plot.setWindow(windowIn(figures, view.zoom));
  view.ranges.press(view.zoom);
}

/** A zoom that the figures allow: the last days only where there are more than that. */
function settle(zoom: Zoom, { days }: StorageFigures): Zoom {
  return typeof zoom === 'object' && 'lastDays' in zoom && zoom.lastDays >= days.length ? 'all' : zoom;
}

function windowIn({ days }: StorageFigures, zoom: Zoom): [min: number, max: number] {
  return windowOf(zoom, days[0] ?? 0, days.at(-1) ?? 0);
}

/** Whether a plot of the one can go on with the other. */
function isAlike(one: StorageFigures, other: StorageFigures): boolean {
  const isSameNames = one.names.join('\n') === other.names.join('\n');
  return isSameNames && canZoom(one.days.length) === canZoom(other.days.length);
}

/** The plot in a sentence, for those who do not see it. */
function sentenceOf(figures: StorageFigures): string {
  const { account, dates, totals } = figures;
  const say = (at: number) => `${sizeWords(totals[at] ?? 0)} on ${dates[at] ?? ''}`;
  const [from, to] = [totals.findIndex((total) => total !== null), lastKnown(figures)];
  const isLive = to === figures.liveAt ? ' (today, live)' : '';
  return from === to
    ? `Storage of ${account}: ${say(to)}${isLive}, the only day with figures.`
    : `Storage of ${account} by day: from ${say(from)} to ${say(to)}${isLive}.`;
}
