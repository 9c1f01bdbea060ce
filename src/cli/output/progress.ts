/** Progress of a run on stderr: a bar a package on a terminal, plain lines elsewhere. */
import { MultiBar, type SingleBar } from 'cli-progress';
import colors from 'picocolors';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { formatCount, pluralize, formatDuration } from '../../lib/format.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import type { Progress } from '../../sync/context.ts';

export interface Bars extends Progress {
  /** Writes a line above the bars. */
  line(text: string): void;
  close(): void;
}

const FORMAT = '{name} [{bar}] {value}/{total} pages  {rate}  {left}';

/** More bars than this at a time, and those that are done make room. */
const MOST_BARS = 12;

interface Bar {
  bar: SingleBar;
  begunAt: number;
  records: number;
  /** Pages stored by this walk, and pages in all. */
  stored: number;
  total: number;
  page: number;
}

/** A bar a package, for a terminal. After `close` the next walk begins new ones. */
export function createBars(clock: Clock, stream: NodeJS.WriteStream): Bars {
  let group: MultiBar | null = null;
  const bars = new Map<string, Bar>();
  return {
    walkStarted: (walk) => {
      group ??= createGroup(stream);
      const words = { name: nameOf(walk), rate: '', left: '' };
      const bar = group.create(walk.pages, walk.done, words);
      const begun = { bar, begunAt: clock.now(), records: 0, stored: 0 };
      bars.set(nameOf(walk), { ...begun, total: walk.pages, page: walk.pages + 1 });
    },
    pageStored: (stored) => {
      const known = bars.get(nameOf(stored));
      if (!known) return;
      known.records += stored.records;
      known.stored++;
      known.page = stored.page;
      show(known, clock.now());
    },
    walkEnded: (walk) => {
      const known = bars.get(nameOf(walk));
      if (!known) return;
      if (known.page > 1) known.bar.update({ left: 'stopped' });
      if (bars.size <= MOST_BARS) return;
      group?.remove(known.bar);
      bars.delete(nameOf(walk));
    },
    line: (text) => {
      if (group) group.log(text);
      else stream.write(text);
    },
    close: () => {
      group?.stop();
      group = null;
      bars.clear();
    },
  };
}

function createGroup(stream: NodeJS.WriteStream): MultiBar {
  const isPlain = !colors.isColorSupported;
  const look = { format: FORMAT, stream, hideCursor: true, barsize: 20, fps: 8, emptyOnZero: true };
  const characters = isPlain ? ['#', '-'] : ['\u2588', '\u2591'];
  const [barCompleteChar = '', barIncompleteChar = ''] = characters;
  return new MultiBar(look, { format: FORMAT, barCompleteChar, barIncompleteChar });
}

function show({ bar, begunAt, records, stored, total, page }: Bar, now: number): void {
  const passed = Math.max(1, now - begunAt);
  const rate = `${formatCount(Math.round((records / passed) * 1000))} records/s`;
  const left =
    page > 1 ? `${formatDuration((page - 1) * (passed / stored))} left` : `done in ${formatDuration(passed)}`;
  bar.update(Math.max(1, total - page + 1), { rate, left });
}

/** How often a walk says where it is where no bar can, in milliseconds. */
const LINE_EVERY_MS = 5_000;

/** A line now and then, for logs: at level `info`, or `debug` for a worker that does this all day. */
export function createLogProgress(clock: Clock, logger: Logger, level: 'info' | 'debug'): Progress {
  const walks = new Map<string, { saidAt: number; records: number; begunAt: number }>();
  return {
    walkStarted: (walk) => {
      walks.set(nameOf(walk), { saidAt: clock.now(), begunAt: clock.now(), records: 0 });
      logger[level](`${nameOf(walk)}: ${pluralize(walk.pages, 'page')} to read`);
    },
    pageStored: (stored) => {
      const known = walks.get(nameOf(stored));
      if (!known) return;
      known.records += stored.records;
      if (stored.page === 1 || clock.now() - known.saidAt < LINE_EVERY_MS) return;
      known.saidAt = clock.now();
      const rate = Math.round((known.records / Math.max(1, clock.now() - known.begunAt)) * 1000);
      logger.info(
        `${nameOf(stored)}: page ${formatCount(stored.page)} stored, ${formatCount(rate)} records/s`,
      );
    },
    walkEnded: (walk) => {
      const known = walks.get(nameOf(walk));
      walks.delete(nameOf(walk));
      if (!known) return;
      logger[level](
        `${nameOf(walk)}: ${pluralize(known.records, 'record')} read in ${formatDuration(clock.now() - known.begunAt)}`,
      );
    },
  };
}

function nameOf({ account, packageId }: PackageKey): string {
  return `${account}/${packageId}`;
}
