/** Progress of a run on a terminal: one bar for all packages, and below it the walks under way. */
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Clock } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { Progress } from '../../sync/context.ts';
import { formatSelector } from '../../sync/package-selector.ts';

export interface ProgressBars extends Progress {
  /** Writes a line above the bars; the text ends with a line feed. */
  line(text: string): void;
  /** Names what is done after the walks, next to the bar of all packages. */
  step(text: string): void;
  /** Removes the bars; a later walk starts new ones. */
  close(): void;
}

/** Rates and times left are shown from here on, in milliseconds. */
const MIN_ELAPSED_MS = 1_000;

const FORMAT = '{name} [{bar}] {value}/{total} {unit}  {details}';

interface WalkBar {
  bar: SingleBar;
  startedAt: number;
  records: number;
  /** Pages stored by this walk, and pages of the package. */
  stored: number;
  total: number;
}

/** All packages of a run. */
interface TotalBar {
  bar: SingleBar;
  startedAt: number;
  packages: number;
  done: number;
  requests: number;
}

export function createProgressBars(clock: Clock, stream: NodeJS.WriteStream): ProgressBars {
  let group: MultiBar | null = null;
  let all: TotalBar | null = null;
  const walks = new Map<string, WalkBar>();

  function close(): void {
    group?.stop();
    group = null;
    all = null;
    walks.clear();
  }
  process.once('exit', close); // a second signal ends the process at once: the cursor is hidden until then

  return {
    packagesQueued(packages) {
      group ??= createGroup(stream);
      all ??= createTotal(group, clock.now());
      all.packages += packages;
      updateTotal(all, clock.now());
    },
    requestSent() {
      if (!all) return;
      all.requests++;
      updateTotal(all, clock.now());
    },
    walkStarted({ pages, done, ...key }) {
      group ??= createGroup(stream);
      const name = formatSelector(key);
      const bar = group.create(pages, done, { name: `  ${name}`, unit: 'pages', details: '' });
      walks.set(name, { bar, startedAt: clock.now(), records: 0, stored: 0, total: pages });
    },
    pageStored({ page, records, ...key }) {
      const walk = walks.get(formatSelector(key));
      if (!walk) return;
      walk.records += records;
      walk.stored++;
      updateWalk(walk, page, clock.now());
    },
    walkEnded(key) {
      const name = formatSelector(key);
      const walk = walks.get(name);
      if (walk) group?.remove(walk.bar);
      walks.delete(name);
    },
    packageDone(_key, walk) {
      if (!all || walk?.status === 'interrupted' || walk?.status === 'parked') return;
      all.done++;
      updateTotal(all, clock.now());
    },
    line(text) {
      if (!group) stream.write(text);
      else {
        group.log(text);
        group.update(); // at once: what waits for the next frame is lost if there is none
      }
    },
    step(text) {
      if (!all) stream.write(`${text}\n`);
      else {
        all.bar.update(all.done, { details: text });
        group?.update(); // at once: the step may block this process
      }
    },
    close,
  };
}

function createGroup(stream: NodeJS.WriteStream): MultiBar {
  const options = {
    ...{ format: FORMAT, stream, hideCursor: true, barsize: 20, fps: 8, emptyOnZero: true },
    forceRedraw: true, // a bar whose text is the same may have moved to another line
    gracefulExit: false, // the signal handler closes the bars: they are drawn until then
  };
  const [barCompleteChar, barIncompleteChar] =
    process.stderr.isTTY && process.stderr.hasColors() ? ['\u2588', '\u2591'] : ['#', '-'];
  return new MultiBar(
    { ...options, clearOnComplete: true },
    { format: FORMAT, barCompleteChar, barIncompleteChar },
  );
}

function createTotal(group: MultiBar, startedAt: number): TotalBar {
  const bar = group.create(0, 0, { name: 'all', unit: 'packages', details: '' });
  return { bar, startedAt, packages: 0, done: 0, requests: 0 };
}

function updateTotal({ bar, startedAt, packages, done, requests }: TotalBar, now: number): void {
  const left = packages - done;
  const parts = [pluralize(requests, 'request'), ...formatLeft(now - startedAt, done, left)];
  bar.setTotal(packages);
  bar.update(done, { details: parts.join('  ') });
}

/** `page`: the last page stored; pages count down to 1. */
function updateWalk({ bar, startedAt, records, stored, total }: WalkBar, page: number, now: number): void {
  const elapsed = now - startedAt;
  const left = formatLeft(elapsed, stored, page - 1);
  const rate = `${formatCount(Math.round((records / elapsed) * 1000))} records/s`;
  const details = elapsed < MIN_ELAPSED_MS ? [] : [rate, ...left];
  bar.update(Math.max(1, total - page + 1), { details: details.join('  ') });
}

/** Nothing in the first second, before the first part is done, and after the last one. */
function formatLeft(elapsedMs: number, done: number, left: number): string[] {
  if (elapsedMs < MIN_ELAPSED_MS || done === 0 || left <= 0) return [];
  return [`${formatDuration((elapsedMs / done) * left)} left`];
}
