/** Why removals are held back, in words. */
import type { HeldReason } from '../database/schema/videos.ts';

const REASONS: Record<HeldReason, string> = {
  many: 'too many at once to believe',
  all: 'all the videos there are, at once',
  order: 'the list was out of order and has to earn trust again',
};

/** Why removals are held back; files of the version before do not say which of its two reasons it was. */
export function formatHeldReason(reasons: readonly HeldReason[]): string {
  return reasons.length === 0 ? REASONS.many : reasons.map((reason) => REASONS[reason]).join('; ');
}

/** What removes them without anybody's doing. */
export const CONFIRMATION_HINT =
  'the next full walk (at least one schedule later) that proves them again removes them';
