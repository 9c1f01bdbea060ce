/** Progress of a run on a terminal: one line that counts, below the lines of the log. */
import type { Clock } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { Progress } from '../../sync/context.ts';
import { formatSelector } from '../../sync/package-selector.ts';

export interface ProgressLine extends Progress {
  /** Writes a line above the one that counts; the text ends with a line feed. */
  line(text: string): void;
  /** Names what is done after the walks. */
  step(text: string): void;
  /** Removes the line; a later walk starts another. */
  close(): void;
}

/** A time left is shown from here on, in milliseconds. */
const MIN_ELAPSED_MS = 1_000;
/** The shortest time between two states of the line, in milliseconds. */
const FRAME_MS = 100;
const BAR_WIDTH = 20;
/** To the start of the line, and clear it. */
const CLEAR = '\r\x1b[K';

/** Counts packages, requests and videos; `stream` is a terminal. */
export function createProgressLine(clock: Clock, stream: NodeJS.WriteStream): ProgressLine {
  let counts = { startedAt: 0, packages: 0, done: 0, requests: 0, videos: 0, page: '' };
  let shown = '';
  let drawnAt = 0;

  function draw(text: string, isForced = true): void {
    if (!isForced && clock.now() - drawnAt < FRAME_MS) return;
    drawnAt = clock.now();
    shown = text.slice(0, (stream.columns || 80) - 1); // a longer one would take two lines
    stream.write(`${CLEAR}${shown}`);
  }
  const update = (isForced = false) => {
    if (counts.packages > 0) draw(formatCounts(counts, clock.now()), isForced);
  };
  const close = () => {
    if (shown !== '') stream.write(CLEAR);
    shown = '';
    counts = { ...counts, packages: 0, done: 0, requests: 0, videos: 0, page: '' };
  };
  process.once('exit', close); // a second signal ends the process at once
  return {
    packagesQueued(packages) {
      if (counts.packages === 0) counts.startedAt = clock.now();
      counts.packages += packages;
      update(true);
    },
    requestSent() {
      counts.requests++;
      update();
    },
    pageStored({ page, records, ...key }) {
      counts.videos += records;
      counts.page = page > 1 ? `${formatSelector(key)}: page ${formatCount(page)}` : '';
      update();
    },
    packageDone(_key, walk) {
      if (walk?.status === 'interrupted' || walk?.status === 'parked') return;
      counts.done++;
      update(true);
    },
    line: (text) => void stream.write(`${shown === '' ? '' : CLEAR}${text}${shown}`),
    step: (text) => draw(text),
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
  const [full, empty] =
    process.stderr.isTTY && process.stderr.hasColors() ? ['\u2588', '\u2591'] : ['#', '-'];
  const filled = Math.round((done / packages) * BAR_WIDTH);
  const elapsed = now - startedAt;
  const isKnown = elapsed >= MIN_ELAPSED_MS && done > 0 && done < packages;
  return [
    `[${full.repeat(filled)}${empty.repeat(BAR_WIDTH - filled)}] ${formatCount(done)}/${formatCount(packages)} packages`,
    pluralize(requests, 'request'),
    pluralize(videos, 'video'),
    ...(isKnown ? [`${formatDuration((elapsed / done) * (packages - done))} left`] : []),
    ...(page === '' ? [] : [page]),
  ].join('  ');
}
