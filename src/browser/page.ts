/** The script of every page. The pages work without it. */
import { startAutoRefresh } from './auto-refresh.ts';
import { watchCharts } from './chart-cursor.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { startCountdown } from './countdown.ts';

startAutoRefresh((part) => {
  addCopyButtons(part);
  watchCharts(part);
});
watchCharts(document);
startCountdown();
addCopyButtons(document);
