/** What every table and column of the live file means: the source of docs/contributing/live-file.md. */
import { INCIDENT_TABLES } from './incident-tables.ts';
import type { LiveTable } from './describe-table.ts';
import { RUN_TABLES, STATE_TABLES } from './run-tables.ts';
import { STORAGE_TABLES } from './storage-tables.ts';
import { TARGET_TABLES } from './target-tables.ts';
import { FINDING_TABLES, MEMORY_TABLES, VIDEO_TABLES } from './video-tables.ts';

/** The tables of the live file, what people ask for first. */
export const LIVE_TABLES: readonly LiveTable[] = [
  ...VIDEO_TABLES,
  ...STORAGE_TABLES,
  ...FINDING_TABLES,
  ...RUN_TABLES,
  ...TARGET_TABLES,
  ...INCIDENT_TABLES,
  ...MEMORY_TABLES,
  ...STATE_TABLES,
];
