/** Columns of numbers: what a run or a walk changed. Words are those of the published file. */
import { formatCount } from '../../lib/format.ts';

interface Counts {
  inserted: number;
  updated: number;
  removed: number;
  restored: number;
}

export const COUNT_HEAD = ['>Added', '>Edited', '>Removed', '>Restored'];

/** Four cells; nothing for 0. */
export function CountCells({ inserted, updated, removed, restored }: Counts) {
  const counts = [inserted, updated, removed, restored];
  return (
    <>
      {counts.map((count, index) => (
        <td key={COUNT_HEAD[index]} class="number">
          {count === 0 ? '' : formatCount(count)}
        </td>
      ))}
    </>
  );
}
