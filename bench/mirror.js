/**
 * The server against its targets: `node bench/mirror.js [beside] [pages] [scans] [page]`; without a word, all of them. Pages at a steady
 * pace beside a sync; pages of a package of a million videos; searches and sorted lists; the status page. The server is a process of its own,
 * as under a worker.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureBesideSync } from './mirror-beside.js';
import { here } from './mirror-config.js';
import { measurePages, measureScans } from './mirror-pages.js';
import { measureStatusPage } from './page.js';

const PARTS = {
  beside: measureBesideSync,
  pages: measurePages,
  scans: measureScans,
  page: measureStatusPage,
};
const wished = process.argv.slice(2).filter((word) => word in PARTS);

for (const part of wished.length > 0 ? wished : Object.keys(PARTS)) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  try {
    await PARTS[part](folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
