/** The storage charts: one in every `<figure class="chart" data-chart="address">`. */
import { onSchemeChange } from './colours.ts';
import { createDrawing } from './chart-view.ts';
import { element } from './dom.ts';
import { readFigures } from './chart-data.ts';

const PATIENCE_MS = 30_000;

export interface Charts {
  /** Draws into figures that are new in the page; one that stands for a figure that left gets its chart as it is. */
  adopt(): void;
  /** Asks for all figures anew; what is in sight stays. */
  reload(): Promise<void>;
}

/** Draws into every figure that the page has. */
export function showCharts(): Charts {
  let charts: Chart[] = [];
  const adopt = () => {
    const figures = [...document.querySelectorAll<HTMLElement>('figure.chart[data-chart]')];
    const fresh = figures.filter((figure) => !charts.some((chart) => chart.figure() === figure));
    for (const figure of fresh) {
      const address = figure.dataset.chart ?? '';
      const orphan = charts.find((chart) => chart.address === address && !chart.figure().isConnected);
      if (orphan) orphan.moveTo(figure);
      else charts.push(createChart(figure, address));
    }
    for (const chart of charts) if (!chart.figure().isConnected) chart.close();
    charts = charts.filter((chart) => chart.figure().isConnected);
  };
  adopt();
  onSchemeChange(() => charts.forEach((chart) => chart.recolour()));
  return {
    adopt,
    reload: async () => {
      await Promise.all(charts.map((chart) => chart.load()));
    },
  };
}

interface Chart {
  readonly address: string;
  figure(): HTMLElement;
  moveTo(figure: HTMLElement): void;
  /** Asks once what was asked before is done. Never rejects: what went wrong is said in the figure. */
  load(): Promise<void>;
  recolour(): void;
  close(): void;
}

function createChart(first: HTMLElement, address: string): Chart {
  let figure = first;
  let drawn = '';
  const notice = element('p', 'notice');
  const drawing = createDrawing();
  const ownNodes = () => [...drawing.nodes, notice].filter((node) => node.parentNode === figure);
  const loadNow = async () => {
    notice.remove();
    try {
      const text = await ask(address);
      if (!figure.isConnected) return;
      if (text !== drawn) drawing.draw(figure, readFigures(JSON.parse(text)));
      drawn = text;
    } catch (error) {
      notice.textContent = `The chart could not be ${drawn === '' ? 'drawn' : 'brought up to date'}: ${reasonOf(error)}.`;
      const above = ownNodes().at(-1);
      if (above) above.after(notice);
      else figure.prepend(notice);
    }
  };
  let loading = loadNow();
  return {
    address,
    figure: () => figure,
    moveTo: (next) => {
      const { points, days } = figure.dataset;
      if (points !== undefined) Object.assign(next.dataset, { points, days });
      next.prepend(...ownNodes());
      figure = next;
    },
    load: () => (loading = loading.then(loadNow)),
    recolour: () => drawing.recolour(),
    close: () => drawing.close(),
  };
}

async function ask(address: string): Promise<string> {
  const response = await fetch(address, {
    cache: 'no-cache',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return await response.text();
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
