/**
 * The allowed number of requests of a walk, from the requests that the service received and their purposes in
 * the ledger.
 */
import { fromTimestamp } from '../../../src/lib/clock.ts';
import type { WalkRow } from '../../../src/warehouse/statements/walk.ts';
import type { Exchange } from '../servers/changing-account.ts';
import type { WalkCase } from './walk-case.ts';

type LedgerExchange = Exchange & { purpose: string };

/** Pages of a walk that are fetched again because they contradict the stored rows, and are stored anyway. */
const DOUBTED = 4;

/**
 * D. A walk fetches each page once, at most once for the number of the last one, and once more wherever the
 * list has shrunk below the requested page, or has grown beyond the last one; a resumed walk searches upward
 * for its position, over the records inserted below; and it fetches a few pages again that resemble those of
 * another package. Boundary reads have a separate limit.
 */
export function findRequestViolations(one: WalkCase, walk: WalkRow): string[] {
  if (walk.mode === 'quick') return findQuickViolations(one, walk);
  const { package_id: packageId, run_id: runId } = walk;
  const where = `package ${packageId}, walk ${walk.walk_id}`;
  const seen = one.account.seen(packageId);
  const ledger = one
    .pipeline()
    .query<{ purpose: string; page: number }>(
      'select purpose, page from request where run_id = ? and package_id = ? order by request_id',
      runId,
      packageId,
    );
  if (ledger.length !== seen.length) {
    return [`D: ${where}: the ledger has ${ledger.length} requests, the service saw ${seen.length}`];
  }
  const exchanges = seen.map((exchange, index) => ({ ...exchange, purpose: ledger[index]?.purpose ?? '' }));
  const reading = exchanges.filter(({ purpose }) => purpose !== 'boundary');
  const pages = Math.max(1, ...reading.map(({ totalpage }) => totalpage));
  return [
    ...findBoundaryViolations(one, where, exchanges.length - reading.length, pages),
    ...findReadingViolations(one, walk, where, reading, pages),
  ];
}

/** D. A quick walk fetches no page more than twice, and makes at most two boundary reads per boundary. */
function findQuickViolations(one: WalkCase, { package_id: packageId, walk_id: walkId }: WalkRow): string[] {
  const seen = one.account.seen(packageId);
  const pages = Math.max(1, ...seen.map(({ totalpage }) => totalpage));
  const most = 4 * pages + 8;
  const where = `package ${packageId}, quick walk ${walkId}`;
  return seen.length <= most ? [] : [`D: ${where}: ${seen.length} requests for ${pages} pages`];
}

function findBoundaryViolations(
  { setup }: WalkCase,
  where: string,
  boundaries: number,
  pages: number,
): string[] {
  const share = setup.boundaryReads;
  const most = share === 0 ? 0 : Math.max(3, Math.ceil(share * pages));
  return boundaries <= most ? [] : [`D: ${where}: ${boundaries} boundary reads, at most ${most} are allowed`];
}

function findReadingViolations(
  one: WalkCase,
  walk: WalkRow,
  where: string,
  reading: readonly LedgerExchange[],
  pages: number,
): string[] {
  const shrinks = reading.filter((answer, index) => hasShrunk(answer, reading[index - 1])).length;
  const growths = reading.filter((answer, index) => hasGrown(answer, reading[index - 1])).length;
  const upward = walk.resumed ? grownBelow(one, walk, reading) + 1 : 0;
  const most = pages + 1 + shrinks + growths + upward + DOUBTED;
  if (reading.length <= most) return [];
  const list = reading.map(({ page, totalpage, purpose }) => `${purpose} ${page} of ${totalpage}`).join(', ');
  const sum = `${pages} pages + 1 probe + ${shrinks} shrinks + ${growths} growths + ${upward} upward + ${DOUBTED} doubted`;
  return [`D: ${where}: ${reading.length} requests for ${sum}: ${list}`];
}

/**
 * The requested page no longer exists, and the previous response did not show that yet. The first guess is a
 * probe.
 */
function hasShrunk({ page, totalpage }: LedgerExchange, before: LedgerExchange | undefined): boolean {
  return before !== undefined && totalpage < before.totalpage && Math.max(1, totalpage) < page;
}

/** The last page by the previous response is no longer the last. */
function hasGrown({ page, totalpage }: LedgerExchange, before: LedgerExchange | undefined): boolean {
  if (before === undefined || before.page === page) return false;
  return Math.max(1, before.totalpage) === page && totalpage > page;
}

/** The largest number of pages by which the list can have grown below the checkpoint since the walk began. */
function grownBelow({ account }: WalkCase, walk: WalkRow, reading: readonly LedgerExchange[]): number {
  const since = fromTimestamp(walk.origin_started_at);
  const below = walk.resumed_from_id ?? 0;
  const size = Math.min(...reading.map(({ pagesize }) => pagesize));
  const inserted = account.packages
    .get(walk.package_id)
    ?.insertions.filter(({ id, at }) => id < below && at >= since);
  return Math.ceil((inserted?.length ?? 0) / size);
}
