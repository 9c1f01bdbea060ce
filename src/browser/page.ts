/** The script of every page. The pages work without it. */
import { startAutoRefresh } from './auto-refresh.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { startCountdown } from './countdown.ts';

startAutoRefresh(addCopyButtons);
startCountdown();
addCopyButtons(document);
