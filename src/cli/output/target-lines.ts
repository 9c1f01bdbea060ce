/** The targets as `status` shows them: a line each, and below it what is wrong or worth knowing. */
import { summarizeTarget, summaryText } from '../../health/target-summary.ts';
import type { TargetReport } from '../../health/targets.ts';
import { escapeControls } from '../../lib/format.ts';

/** Lines below the line of one target. */
const MOST_NOTES = 8;

/** The lines of all targets at `now` (ms). */
export function targetLines(targets: readonly TargetReport[], now: number): string[] {
  return targets.flatMap((report) => {
    const summary = summarizeTarget(report);
    const notes = summary.notes
      .slice(0, MOST_NOTES)
      .flatMap(({ text, hint }) => [
        `  ${escapeControls(text)}`,
        ...(hint === null ? [] : [`    -> ${escapeControls(hint)}`]),
      ]);
    const left = summary.notes.length - MOST_NOTES;
    const more = left > 0 ? [`  … and ${left} more: vodhouse status --json`] : [];
    return [`target ${report.target}: ${summaryText(summary, now)}`, ...notes, ...more];
  });
}

/** The targets of `status --json`. */
export function toTargetsJson(targets: readonly TargetReport[]) {
  return targets.map((report) => {
    const { target, upToDate, loadedAt, verifiedAt } = summarizeTarget(report);
    const { kind, everyMs, accounts, runs } = report;
    return {
      ...{ target, kind, every_ms: everyMs },
      up_to_date: upToDate === accounts.length,
      loaded_at: loadedAt,
      verified_at: verifiedAt,
      accounts,
      runs,
    };
  });
}
