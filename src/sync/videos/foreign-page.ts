/** Detects pages of another package and requests them again (docs/walking.md, "A page of another package"). */
import { RefusedError } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import type { SearchOption } from '../../service/videos.ts';
import { getLastPageNumber, HIGHEST, isTrustedNeighbour, LOWEST } from './proof.ts';
import { MIN_HELD_BACK, type Page, type WalkState } from './walk-state.ts';

/** With `--accept-page`: pages of a walk that are requested again, before all others are stored at once. */
const MAX_CONFIRMED = 3;

/** Returns the page, or the second response if the first was foreign. Throws RefusedError if both are. */
export async function confirmOwnPage(
  walk: WalkState,
  page: Page,
  refetch: () => Promise<Page>,
): Promise<Page> {
  const { context, options, key } = walk;
  const { number } = page;
  const reason = findForeignReason(walk, page);
  if (reason === null || walk.confirmedPages >= MAX_CONFIRMED) return page;
  const { account, packageId } = key;
  context.logger.warn(
    { event: 'page_requested_again', account, package_id: packageId, page: number, reason },
    `${account}/${packageId}, page ${number} is requested again: ${reason}`,
  );
  const second = await refetch();
  const confirmed = findForeignReason(walk, second);
  if (confirmed === null) return second;
  if (!options.acceptPage) throw createForeignError(walk, number, confirmed);
  walk.confirmedPages++;
  return second;
}

function createForeignError({ context, key }: WalkState, number: number, reason: string): RefusedError {
  const place = `account ${key.account}, package ${key.packageId}, page ${number}`;
  return new RefusedError(`${place}: ${reason}; it came twice, and is not stored`, {
    fault: 'foreign',
    hint: `if the package was really filled with other videos: ${context.acceptPageCommand(key)}`,
  });
}

/** Why the page is one of another package; null if it is not. */
function findForeignReason(walk: WalkState, page: Page): string | null {
  return findForeignEcho(page.echo, walk.key.packageId) ?? findReplacement(walk, page);
}

/** A response that names another package, or a keyword, belongs to another request. */
export function findForeignEcho(echo: SearchOption | null, packageId: number): string | null {
  const pkg = echo?.['pkg'];
  const named = typeof pkg === 'string' || typeof pkg === 'number' ? String(pkg).trim() : '';
  if (/^\d+$/.test(named) && Number(named) !== packageId) {
    return `its response says that it is one of package ${named}`;
  }
  return echo?.keyword?.trim() ? 'its response echoes a keyword that was not requested' : null;
}

/**
 * The page shares no id with the live rows, and would replace as many as a held-back removal: more than a few, or all of
 * the package. A few videos may be replaced at any time.
 */
function findReplacement({ context, key, above }: WalkState, page: Page): string | null {
  const { ids, bounds, count } = page.contents;
  if (!ids || !bounds) return null;
  const last = getLastPageNumber(page.paging);
  const neighbour = isTrustedNeighbour(above) && above.number === page.number + 1 ? above : null;
  const low = page.number === 1 ? LOWEST : Math.min(bounds.first, neighbour?.first ?? HIGHEST);
  const high = page.number >= last ? HIGHEST : Math.max(bounds.last, (neighbour?.first ?? 0) - 1);
  const isWhole = last === 1;
  const { rows, isAll } = context.warehouse.countReplaced({ ...key, ids, low, high, isWhole });
  if (rows <= MIN_HELD_BACK && !(isAll && count > MIN_HELD_BACK)) return null;
  return `it holds not one of the ${pluralize(rows, 'known video')} whose ids it covers`;
}
