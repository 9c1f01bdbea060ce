/** The progress of a run on a terminal: one line with counts, which stays below the lines of the log. */
import type { Clock } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { Progress } from '../../sync/context.ts';
import { formatSelector } from '../../sync/package-selector.ts';

export interface ProgressLine extends Progress {
  /** Writes a line above the counts. The text ends with a line feed. */
  line: (text: string) => void;
  /** Shows what is done after the walks, in place of the counts. */
  announce: (text: string) => void;
  /** Removes the line. Packages of a later run start a new one. */
  close: () => void;
}

/** From this time on, in milliseconds, the line has an estimate of the time left. */
const MIN_ELAPSED_MS = 1_000;
/** The shortest time between two states of the line, in milliseconds. */
const FRAME_MS = 100;
const BAR_WIDTH = 20;
/** Moves the cursor to the start of the line, and clears the line. */
const CLEAR = '\r\x1b[K';

const NONE: Counts = { startedAt: 0, packages: 0, done: 0, requests: 0, videos: 0, page: '' };

/** Counts packages, requests and videos on `stream`, which is a terminal. */
export function createProgressLine(clock: Clock, stream: NodeJS.WriteStream): ProgressLine {
  let counts = NONE;
  let shown = '';
  let drawnAt = 0;
  const draw = (text: string) => {
    drawnAt = clock.now();
    shown = text.slice(0, (stream.columns || 80) - 1); // a longer one would take two lines
    stream.write(`${CLEAR}${shown}`);
  };
  const update = (changes: Partial<Counts>, isForced = false) => {
    counts = { ...counts, ...changes };
    if (counts.packages > 0 && (isForced || clock.now() - drawnAt >= FRAME_MS))
      draw(formatCounts(counts, clock.now()));
  };
  const close = () => {
    if (shown !== '') stream.write(CLEAR);
    shown = '';
    counts = NONE;
  };
  process.once('exit', close); // a second signal ends the process without a call of `close`
  return {
    packagesQueued: (packages) => {
      const startedAt = counts.packages === 0 ? clock.now() : counts.startedAt;
      update({ startedAt, packages: counts.packages + packages }, true);
    },
    requestSent: () => update({ requests: counts.requests + 1 }),
    pageStored: ({ page, records, ...key }) => {
      const text = page > 1 ? `${formatSelector(key)}: page ${formatCount(page)}` : '';
      update({ videos: counts.videos + records, page: text });
    },
    packageDone: (_key, walk) => {
      if (walk?.status !== 'interrupted' && walk?.status !== 'parked')
        update({ done: counts.done + 1 }, true);
    },
    line: (text) => void stream.write(`${shown === '' ? '' : CLEAR}${text}${shown}`),
    announce: draw,
    close,
  };
}

interface Counts {
  startedAt: number;
  packages: number;
  done: number;
  requests: number;
  videos: number;
  /** The page that a walk stored last; empty after its last page. */
  page: string;
}

function formatCounts({ startedAt, packages, done, requests, videos, page }: Counts, now: number): string {
  const filled = Math.round((done / packages) * BAR_WIDTH);
  const elapsed = now - startedAt;
  const isKnown = elapsed >= MIN_ELAPSED_MS && done > 0 && done < packages;
  return [
    `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${formatCount(done)}/${formatCount(packages)} packages`,
    pluralize(requests, 'request'),
    pluralize(videos, 'video'),
    ...(isKnown ? [`${formatDuration((elapsed / done) * (packages - done))} left`] : []),
    ...(page === '' ? [] : [page]),
  ].join('  ');
}
