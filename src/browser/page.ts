/** The script of every page. The pages work without it. */
import { startAutoRefresh } from './auto-refresh.ts';
import { watchCharts } from './chart-cursor.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { startCountdown } from './countdown.ts';
import { addTimeSwitch, showTimes } from './local-times.ts';
import { startShortcuts } from './shortcuts.ts';

startAutoRefresh((part) => {
  showTimes(part);
  addCopyButtons(part);
  watchCharts(part);
});
watchCharts(document);
showTimes(document);
addTimeSwitch();
startCountdown();
startShortcuts();
addCopyButtons(document);
