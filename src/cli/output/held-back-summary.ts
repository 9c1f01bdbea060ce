/** Removals that the walks of a run left held back. */
import type { RunSummary } from '../../sync/run.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import type { HeldReason } from '../../database/schema/videos.ts';
import { CONFIRMATION_HINT, formatHeldReason } from '../../health/package-problems.ts';
import type { acceptRemovalsCommands } from '../../health/commands.ts';
import { formatCount, pluralize } from '../../lib/format.ts';

export interface Accepting {
  accepted?: boolean | number | undefined;
  formatCommand?: ReturnType<typeof acceptRemovalsCommands>;
}

/** Held-back removals of one package. */
export interface HeldBackSummary {
  /** The package as `main/101`. */
  name: string;
  removals: number;
  reasons: readonly HeldReason[];
  /** How many of them `--accept-removals` named and this walk did not confirm. */
  unconfirmed: number;
  /** The command that accepts them; null if there is none. */
  command: string | null;
}

/**
 * Reads from the live file what these walks left held back. `accepted` is the value of `--accept-removals`; without
 * `formatCommand` the summary names no command.
 */
export function readHeldBack(
  path: string,
  walks: RunSummary['walks'],
  { accepted = false, formatCommand }: Accepting = {},
): HeldBackSummary[] {
  const holding = walks.filter((walk) => walk.held_back > 0);
  if (holding.length === 0) return [];
  const queries = openStatusQueries(path);
  try {
    const held = queries.heldBack();
    return holding.flatMap(({ account, package_id: packageId, walk_id: walkId }) => {
      const row = held.find((each) => each.account === account && each.package_id === packageId);
      if (!row) return [];
      const lastWalk = Math.min(accepted === true ? walkId : Number(accepted), walkId - 1);
      const unconfirmed = accepted === false ? 0 : queries.countHeldSince({ account, packageId }, lastWalk);
      const { removals, reasons } = row;
      const command = formatCommand?.(row) ?? null;
      return [{ name: `${account}/${packageId}`, removals, reasons, unconfirmed, command }];
    });
  } finally {
    queries.close();
  }
}

/** The lines of a summary; none if nothing is held back. */
export function formatHeldBack(summaries: readonly HeldBackSummary[]): string[] {
  if (summaries.length === 0) return [];
  const lines = summaries.flatMap(({ command, ...each }) => [
    `held back in ${each.name}: ${formatReason(each)}`,
    ...(command ? [`  -> to accept them: ${command}`] : []),
  ]);
  return [...lines, CONFIRMATION_HINT];
}

function formatReason({ removals, reasons, unconfirmed }: Omit<HeldBackSummary, 'command'>): string {
  if (unconfirmed === 0) return formatHeldReason(reasons);
  const text = `this walk did not confirm ${pluralize(unconfirmed, 'accepted removal')}`;
  const later = removals - unconfirmed;
  return later > 0 ? `${text}; ${formatCount(later)} held back later` : text;
}
