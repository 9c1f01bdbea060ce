/** The storage charts: one in each `<figure class="chart" data-chart="URL">`. */
import { onSchemeChange } from './colours.ts';
import { createChartView } from './chart-view.ts';
import { createElement } from './dom.ts';
import { readStorageData, type StorageAnswer } from './chart-data.ts';

const TIMEOUT_MS = 30_000;

export function showCharts() {
  let charts: ReturnType<typeof createChart>[] = [];
  /** Draws into new figures. A figure that replaced one of the same url gets the existing chart. */
  const attachAll = () => {
    const figures = [...document.querySelectorAll<HTMLElement>('figure.chart[data-chart]')];
    const added = figures.filter((figure) => !charts.some((chart) => chart.figure() === figure));
    for (const figure of added) {
      const url = figure.dataset.chart ?? '';
      const orphan = charts.find((chart) => chart.url === url && !chart.figure().isConnected);
      if (orphan) orphan.moveTo(figure);
      else charts.push(createChart(figure, url));
    }
    for (const chart of charts) if (!chart.figure().isConnected) chart.close();
    charts = charts.filter((chart) => chart.figure().isConnected);
  };
  attachAll();
  onSchemeChange(() => charts.forEach((chart) => chart.recolour()));
  return {
    attachAll,
    /** Fetches the data of all charts again; the zoom stays. */
    reload: () => charts.forEach((chart) => chart.reload()),
  };
}

function createChart(initialFigure: HTMLElement, url: string) {
  let figure = initialFigure;
  let drawnText = '';
  const notice = createElement('p', 'notice');
  const view = createChartView();
  const ownNodes = () => [...view.nodes, notice].filter((node) => node.parentNode === figure);
  /** Never rejects: the figure shows the error. */
  const load = async () => {
    notice.remove();
    try {
      const text = await fetchText(url);
      if (!figure.isConnected) return;
      if (text !== drawnText) view.draw(figure, readStorageData(JSON.parse(text) as StorageAnswer));
      drawnText = text;
    } catch (error) {
      notice.textContent = `The chart could not be ${drawnText === '' ? 'drawn' : 'updated'}: ${formatReason(error)}.`;
      const above = ownNodes().at(-1);
      if (above) above.after(notice);
      else figure.prepend(notice);
    }
  };
  let loading = load();
  return {
    url,
    figure: () => figure,
    moveTo: (next: HTMLElement) => {
      const { points, days } = figure.dataset;
      if (points !== undefined) Object.assign(next.dataset, { points, days });
      next.prepend(...ownNodes());
      figure = next;
    },
    /** One load at a time. */
    reload: () => void (loading = loading.then(load)),
    recolour: view.recolour,
    close: view.close,
  };
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, {
    cache: 'no-cache',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return await response.text();
}

const formatReason = (error: unknown) => (error instanceof Error ? error.message : String(error));
