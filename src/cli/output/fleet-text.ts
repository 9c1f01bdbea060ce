/** What `vodhouse fleet` prints. */
import { escapeControls, formatAgo, formatCount } from '../../lib/format.ts';
import { describeFleetProblem, groupByWorker, summarizeFleet, type FleetEntry } from '../../lib/fleet.ts';
import { formatFilledColumns } from './table.ts';

const HEADINGS = [
  ...(['worker', 'account', 'lease until (UTC)', 'published (UTC)', '>age', 'last load', '>rows'] as const),
  ...(['verified (UTC)', 'status', 'version'] as const),
];

/** A sentence, a table by worker, and a line for each thing that needs a person. Ends with a line feed. */
export function fleetText(entries: readonly FleetEntry[], place: string): string {
  const head = `${summarizeFleet(entries)} (${place})\n`;
  if (entries.length === 0) return head;
  const rows = groupByWorker(entries).flatMap(([worker, own]) =>
    own.map((entry, index) => [index === 0 ? worker : '', ...toCells(entry)]),
  );
  const lines = entries.flatMap((entry) =>
    entry.problems.map(
      (problem) =>
        `  ! ${escapeControls(`${entry.account} (${entry.worker})`)}: ${describeFleetProblem(problem, entry)}\n`,
    ),
  );
  const problems = lines.length === 0 ? '' : `${lines.join('')}\n`;
  return `${head}${problems === '' ? '\n' : problems}${formatFilledColumns(HEADINGS, rows)}\n`;
}

const toCells = (entry: FleetEntry): string[] => [
  entry.account,
  entry.isHeld ? (entry.leaseUntil ?? '') : 'free',
  entry.publishedAt ?? 'never',
  entry.publishedSecondsAgo === null ? '' : formatAgo(entry.publishedSecondsAgo * 1000),
  entry.lastLoad ?? '',
  entry.lastRows === null ? '' : formatCount(entry.lastRows),
  entry.verifiedAt ?? '',
  entry.status,
  entry.version ?? '',
];

/** The JSON document. */
export const fleetDocument = (entries: readonly FleetEntry[], place: string) => ({
  target: place,
  summary: summarizeFleet(entries),
  needs_attention: entries.some(({ problems }) => problems.length > 0),
  workers: groupByWorker(entries).map(([worker, own]) => ({ worker, accounts: own.map(toDocument) })),
});

const toDocument = (entry: FleetEntry) => ({
  account: entry.account,
  warehouse_id: entry.warehouseId,
  version: entry.version,
  is_held: entry.isHeld,
  lease_until: entry.leaseUntil,
  renewed_at: entry.renewedAt,
  published_at: entry.publishedAt,
  published_seconds_ago: entry.publishedSecondsAgo,
  loaded_at: entry.loadedAt,
  verified_at: entry.verifiedAt,
  status: entry.status,
  change_seq: entry.changeSeq,
  last_load: entry.lastLoad,
  last_rows: entry.lastRows,
  problems: entry.problems.map((kind) => ({ kind, message: describeFleetProblem(kind, entry) })),
});
