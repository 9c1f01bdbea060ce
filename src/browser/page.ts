/** The script of every page. The pages work without it. */
import { showCharts } from './chart.ts';
import { startAutoRefresh } from './auto-refresh.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { addLocalTimeTitles } from './local-times.ts';

const charts = showCharts();

startAutoRefresh({
  onSwap: (part) => {
    addLocalTimeTitles(part);
    addCopyButtons(part);
    charts.attachAll();
  },
  onRefresh: charts.reload,
});
addLocalTimeTitles(document);
addCopyButtons(document);
