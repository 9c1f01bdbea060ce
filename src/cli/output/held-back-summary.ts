/** What a run left held back, in words. */
import type { RunSummary } from '../../sync/run.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import type { HeldReason } from '../../database/schema/videos.ts';
import { CONFIRMATION_HINT, formatHeldReason } from '../../health/held-back.ts';
import type { acceptRemovalsCommands } from '../../health/commands.ts';
import { formatCount, pluralize } from '../../lib/format.ts';

/** What a run left held back in one package. */
export interface HeldBackSummary {
  /** The package as `main/101`. */
  name: string;
  removals: number;
  reasons: readonly HeldReason[];
  /** Those among them that were to be let through, and were not proved again. */
  unproved: number;
  /** The command that lets through what is held back now; null where none does. */
  command: string | null;
}

/**
 * Reads from the live file what these walks left held back. `accepted` is what the run was to let through; without
 * `commandFor` there is no command to type.
 */
export function readHeldBack(
  path: string,
  walks: RunSummary['walks'],
  accepted: boolean | number,
  commandFor: ReturnType<typeof acceptRemovalsCommands> | null,
): HeldBackSummary[] {
  const holding = walks.filter((walk) => walk.held_back > 0);
  if (holding.length === 0) return [];
  const overview = openStatusQueries(path);
  try {
    const held = overview.heldBack();
    return holding.flatMap(({ account, package_id: packageId, walk_id: walkId }) => {
      const row = held.find((each) => each.account === account && each.package_id === packageId);
      if (!row) return [];
      const until = Math.min(accepted === true ? walkId : Number(accepted), walkId - 1);
      const unproved = accepted === false ? 0 : overview.heldSince({ account, packageId }, until);
      const { removals, reasons } = row;
      const command = commandFor && commandFor(row);
      return [{ name: `${account}/${packageId}`, removals, reasons, unproved, command }];
    });
  } finally {
    overview.close();
  }
}

/** The lines of a summary; none where nothing is held back. */
export function formatHeldBack(left: readonly HeldBackSummary[]): string[] {
  if (left.length === 0) return [];
  const lines = left.flatMap((each) => {
    const words = `held back in ${each.name}: ${whyLeft(each)}`;
    return each.command ? [words, `  -> to let them through: ${each.command}`] : [words];
  });
  return [...lines, CONFIRMATION_HINT];
}

function whyLeft({ removals, reasons, unproved }: HeldBackSummary): string {
  if (unproved === 0) return formatHeldReason(reasons);
  const were = unproved === 1 ? 'was' : 'were';
  const words = `${pluralize(unproved, 'removal')} that ${were} to be let through ${were} not proved again by this walk`;
  const later = removals - unproved;
  return later > 0 ? `${words}; ${formatCount(later)} held back later` : words;
}
