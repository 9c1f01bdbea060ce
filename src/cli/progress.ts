/** Progress of a run on stderr: a bar a package on a terminal, plain lines elsewhere. */
import { MultiBar, type SingleBar } from 'cli-progress';
import colors from 'picocolors';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { PackageKey } from '../sync/account.ts';
import type { Progress } from '../sync/progress.ts';
import { count, duration } from './words.ts';

export interface Bars extends Progress {
  /** Writes a line above the bars. */
  line(text: string): void;
  close(): void;
}

const FORMAT = '{name} [{bar}] {value}/{total} pages  {rate}  {left}';

/** A bar a package, for a terminal. */
export function createBars(clock: Clock, stream: NodeJS.WriteStream): Bars {
  const isPlain = !colors.isColorSupported;
  const group = new MultiBar(
    {
      format: FORMAT,
      stream,
      hideCursor: true,
      barsize: 28,
      fps: 8,
      emptyOnZero: true,
      autopadding: true,
      noTTYOutput: false,
    },
    {
      format: FORMAT,
      barCompleteChar: isPlain ? '#' : '\u2588',
      barIncompleteChar: isPlain ? '-' : '\u2591',
    },
  );
  const bars = new Map<
    string,
    { bar: SingleBar; begunAt: number; records: number; pages: number; total: number }
  >();
  return {
    walkBegun: (walk) => {
      const words = { name: nameOf(walk), rate: '', left: '' };
      const bar = group.create(walk.pages, walk.done, words);
      bars.set(nameOf(walk), { bar, begunAt: clock.now(), records: 0, pages: 0, total: walk.pages });
    },
    pageStored: (stored) => {
      const known = bars.get(nameOf(stored));
      if (!known) return;
      known.records += stored.records;
      known.pages++;
      const passed = Math.max(1, clock.now() - known.begunAt);
      const left = (stored.page - 1) * (passed / known.pages);
      const rate = `${count(Math.round((known.records / passed) * 1000))} records/s`;
      const words = stored.page > 1 ? `${duration(left)} left` : `done in ${duration(passed)}`;
      known.bar.update(Math.max(1, known.total - stored.page + 1), { rate, left: words });
    },
    walkEnded: (walk) => bars.get(nameOf(walk))?.bar.stop(),
    line: (text) => {
      if (bars.size > 0) group.log(text);
      else stream.write(text);
    },
    close: () => {
      if (bars.size > 0) group.stop(); // a second time it would write over what came after
      bars.clear();
    },
  };
}

/** How often a walk says where it is where no bar can, in milliseconds. */
const LINE_EVERY_MS = 5_000;

/** A line now and then, for logs. */
export function createLines(clock: Clock, logger: Logger): Progress {
  const walks = new Map<string, { saidAt: number; records: number; begunAt: number }>();
  return {
    walkBegun: (walk) => {
      walks.set(nameOf(walk), { saidAt: clock.now(), begunAt: clock.now(), records: 0 });
      logger.info(`${nameOf(walk)}: ${count(walk.pages)} pages to read`);
    },
    pageStored: (stored) => {
      const known = walks.get(nameOf(stored));
      if (!known) return;
      known.records += stored.records;
      if (stored.page === 1 || clock.now() - known.saidAt < LINE_EVERY_MS) return;
      known.saidAt = clock.now();
      const rate = Math.round((known.records / Math.max(1, clock.now() - known.begunAt)) * 1000);
      logger.info(`${nameOf(stored)}: page ${count(stored.page)} stored, ${count(rate)} records/s`);
    },
    walkEnded: (walk) => {
      const known = walks.get(nameOf(walk));
      walks.delete(nameOf(walk));
      if (!known) return;
      logger.info(
        `${nameOf(walk)}: ${count(known.records)} records read in ${duration(clock.now() - known.begunAt)}`,
      );
    },
  };
}

function nameOf({ account, packageId }: PackageKey): string {
  return `${account}/${packageId}`;
}
