/** What runs in the browser, on every page. The page is complete without it. */
import { showCharts } from './chart.ts';
import { watchLive } from './auto-refresh.ts';
import { titleTimes } from './local-times.ts';

const charts = showCharts();

watchLive({
  swapped: (part) => {
    titleTimes(part);
    charts.adopt();
  },
  refreshed: () => void charts.reload(),
});
titleTimes(document);
