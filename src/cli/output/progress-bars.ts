/** Progress of walks on a terminal: one bar per package. */
import { MultiBar, type SingleBar } from 'cli-progress';
import colors from 'picocolors';
import type { Clock } from '../../lib/clock.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import type { Progress } from '../../sync/context.ts';
import { formatSelector } from '../../sync/package-selector.ts';

export interface ProgressBars extends Progress {
  /** Writes a line above the bars. */
  line(text: string): void;
  /** Removes the bars; a later walk starts new ones. */
  close(): void;
}

const FORMAT = '{name} [{bar}] {value}/{total} pages  {rate}  {left}';

/** Above this number of bars, those of finished walks are removed. */
const MAX_BARS = 12;

interface WalkBar {
  bar: SingleBar;
  startedAt: number;
  records: number;
  /** Pages stored by this walk, and pages of the package. */
  stored: number;
  total: number;
  /** The last page stored; pages count down to 1. */
  page: number;
}

export function createProgressBars(clock: Clock, stream: NodeJS.WriteStream): ProgressBars {
  let group: MultiBar | null = null;
  const bars = new Map<string, WalkBar>();
  return {
    walkStarted({ pages, done, ...key }) {
      group ??= createGroup(stream);
      const name = formatSelector(key);
      const bar = group.create(pages, done, { name, rate: '', left: '' });
      bars.set(name, { bar, startedAt: clock.now(), records: 0, stored: 0, total: pages, page: pages + 1 });
    },
    pageStored({ page, records, ...key }) {
      const walk = bars.get(formatSelector(key));
      if (!walk) return;
      walk.records += records;
      walk.stored++;
      walk.page = page;
      updateBar(walk, clock.now());
    },
    walkEnded(key) {
      const walk = bars.get(formatSelector(key));
      if (!walk) return;
      if (walk.page > 1) walk.bar.update({ left: 'stopped' });
      if (bars.size <= MAX_BARS) return;
      group?.remove(walk.bar);
      bars.delete(formatSelector(key));
    },
    packagesQueued: () => undefined,
    packageDone: () => undefined,
    line(text) {
      if (group) group.log(text);
      else stream.write(text);
    },
    close() {
      group?.stop();
      group = null;
      bars.clear();
    },
  };
}

function createGroup(stream: NodeJS.WriteStream): MultiBar {
  const options = { format: FORMAT, stream, hideCursor: true, barsize: 20, fps: 8, emptyOnZero: true };
  const [barCompleteChar, barIncompleteChar] = colors.isColorSupported ? ['\u2588', '\u2591'] : ['#', '-'];
  return new MultiBar(options, { format: FORMAT, barCompleteChar, barIncompleteChar });
}

function updateBar({ bar, startedAt, records, stored, total, page }: WalkBar, now: number): void {
  const elapsed = Math.max(1, now - startedAt);
  const rate = `${formatCount(Math.round((records / elapsed) * 1000))} records/s`;
  const left =
    page > 1
      ? `${formatDuration((page - 1) * (elapsed / stored))} left`
      : `done in ${formatDuration(elapsed)}`;
  bar.update(Math.max(1, total - page + 1), { rate, left });
}
