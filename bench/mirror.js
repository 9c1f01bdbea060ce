/**
 * Measures the server against its targets: `node bench/mirror.js [during-sync] [pages] [scans] [page]`; all
 * by default. It requests pages at a fixed rate during a sync, pages of a package of a million videos,
 * searches and sorted lists, and the status page. The server runs in a separate process, as under a worker.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureDuringSync } from './mirror-during-sync.js';
import { here } from './mirror-config.js';
import { measurePages, measureScans } from './mirror-pages.js';
import { measureStatusPage } from './page.js';

const PARTS = {
  'during-sync': measureDuringSync,
  pages: measurePages,
  scans: measureScans,
  page: measureStatusPage,
};
const selected = process.argv.slice(2).filter((name) => name in PARTS);

for (const part of selected.length > 0 ? selected : Object.keys(PARTS)) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  try {
    await PARTS[part](folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
