/** The script of every page. The pages work without it. */
import { startAutoRefresh } from './auto-refresh.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { startFilters } from './filter-as-typed.ts';

startAutoRefresh(addCopyButtons);
startFilters();
addCopyButtons(document);
