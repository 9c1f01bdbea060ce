/** The script of every page. The pages work without it. */
import { startAutoRefresh } from './auto-refresh.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { startFilters } from './filter-as-typed.ts';
import { focusSearchOnSlash } from './search-key.ts';

startAutoRefresh(addCopyButtons);
startFilters();
focusSearchOnSlash();
addCopyButtons(document);
