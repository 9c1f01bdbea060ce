/** All named queries by the part of the page that uses them: the source of docs/status-page.md. */
import { LAST_BACKUP } from '../../src/queries/named/backups.ts';
import * as changes from '../../src/queries/named/changes.ts';
import type { NamedQuery } from '../../src/database/query.ts';
import {
  DIFFERENCES,
  FAILED_RUN,
  FAILED_WALKS,
  OPEN_GAPS,
  PARTIAL_WALKS,
  STORAGE_FAILURES,
} from '../../src/queries/named/failures.ts';
import { FOUND, FOUND_IN_PACKAGE, LAST_POSITION, PART_OF_PACKAGE } from '../../src/queries/named/search.ts';
import { PACKAGE_CHANGES, PACKAGE_TOTALS, QUARANTINE_BY_PACKAGE } from '../../src/queries/named/packages.ts';
import * as runs from '../../src/queries/named/runs.ts';
import * as status from '../../src/queries/named/status.ts';
import {
  GAPS,
  OPEN_DISCREPANCIES,
  STORAGE,
  STORAGE_DAYS,
  WAITING_DAYS,
} from '../../src/queries/named/storage.ts';
import { LAST_CHANGES, TARGET_LOADS } from '../../src/queries/named/targets.ts';
import { VIDEO_CHANGES } from '../../src/queries/named/totals.ts';
import {
  PACKAGE_WALKS,
  REMOVED_VIDEOS,
  PACKAGE_SIZES,
  CHANGE_MARKER,
  VERSIONS,
  VIDEO,
} from '../../src/queries/named/videos.ts';

type DocumentedQuery = Pick<NamedQuery<unknown>, 'heading' | 'description' | 'sql'>;

export const NAMED_QUERIES: readonly { part: string; queries: readonly DocumentedQuery[] }[] = [
  {
    part: 'Overall status, and what needs attention',
    queries: [
      status.PACKAGES,
      STORAGE,
      WAITING_DAYS,
      OPEN_DISCREPANCIES,
      status.HELD_BACK_COUNTS,
      status.HELD_BACK_EXAMPLES,
      status.QUARANTINE_COUNTS,
      status.QUARANTINE_EXAMPLES,
      status.DRIFT,
      FAILED_WALKS,
      PARTIAL_WALKS,
      FAILED_RUN,
      STORAGE_FAILURES,
      DIFFERENCES,
      OPEN_GAPS,
      LAST_BACKUP,
    ],
  },
  { part: 'The tiles', queries: [VIDEO_CHANGES] },
  { part: 'The run in progress', queries: [status.RUNNING_WALKS, status.WALKED_PACKAGES, CHANGE_MARKER] },
  { part: 'Storage', queries: [STORAGE_DAYS, GAPS] },
  { part: 'Packages', queries: [PACKAGE_SIZES, PACKAGE_CHANGES, PACKAGE_TOTALS, QUARANTINE_BY_PACKAGE] },
  { part: 'Targets', queries: [TARGET_LOADS, LAST_CHANGES] },
  { part: 'Requests spent', queries: [status.SPENT_REQUESTS, status.PAUSE] },
  { part: 'Runs', queries: [status.RUNS, runs.RUN_STRIP, runs.RUNS_BEFORE] },
  {
    part: 'The page of a run',
    queries: [
      runs.RUN,
      runs.RUN_WALKS,
      runs.RUN_FAILURES,
      runs.RUN_REQUESTS,
      runs.RUN_WAITS,
      runs.RUN_HELD_BACK,
      runs.RUN_QUARANTINE,
      runs.BOOKED_DAYS,
    ],
  },
  {
    part: 'Changes',
    queries: [
      changes.FIRST_STATES,
      changes.FIRST_STATES_OF_PACKAGE,
      changes.LATER_STATES,
      changes.LATER_STATES_OF_PACKAGE,
      changes.LAST_POSITIONS,
      changes.RUN_FROM,
      changes.CHANGES_OF_RUN,
    ],
  },
  {
    part: 'The page of a package',
    queries: [status.PACKAGE, PACKAGE_WALKS, REMOVED_VIDEOS],
  },
  {
    part: 'The search over all packages',
    queries: [FOUND, FOUND_IN_PACKAGE, LAST_POSITION, PART_OF_PACKAGE],
  },
  { part: 'The page of a video', queries: [VIDEO, VERSIONS] },
];

/** The queries as Markdown. */
export function queriesMarkdown(): string {
  const sections = NAMED_QUERIES.map(({ part, queries }) =>
    [`### ${part}`, ...queries.map(queryMarkdown)].join('\n\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

function queryMarkdown({ heading, description, sql }: DocumentedQuery): string {
  const end = heading.endsWith('?') ? '' : '.';
  const text = `**${heading}${end}**${description === '' ? '' : ` ${description}`}`;
  return [text, `\`\`\`sql\n${sql};\n\`\`\``].join('\n\n');
}
