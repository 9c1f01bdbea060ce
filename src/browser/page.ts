/** The script of every page. The pages work without it. */
import { showCharts } from './chart.ts';
import { startAutoRefresh } from './auto-refresh.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { startCountdown } from './countdown.ts';
import { addTimeSwitch, showTimes } from './local-times.ts';
import { startShortcuts } from './shortcuts.ts';

const charts = showCharts();

startAutoRefresh({
  onSwap: (part) => {
    showTimes(part);
    addCopyButtons(part);
    charts.attachAll();
  },
  onRefresh: charts.reload,
});
showTimes(document);
addTimeSwitch();
startCountdown();
startShortcuts();
addCopyButtons(document);
