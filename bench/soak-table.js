/** The table of the soak: one row of fixed widths every few minutes. */
const MIB = 1024 ** 2;
const mib = (bytes) => (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);

const COLUMNS = [
  ['hours', 6, ({ hours }) => hours.toFixed(2)],
  ['days', 5, ({ days }) => days],
  ['runs', 6, ({ runs }) => runs],
  ['requests', 9, ({ requests }) => requests],
  ['faults', 7, ({ faults }) => faults],
  ['kills', 6, ({ kills }) => kills],
  ['downs', 6, ({ downs }) => downs],
  ['steps', 6, ({ steps }) => steps],
  ['RSS MiB', 8, ({ rss }) => mib(rss)],
  ['most', 5, ({ mostRss }) => mib(mostRss)],
  ['helpers', 8, ({ helpersRss }) => mib(helpersRss)],
  ['fds', 5, ({ files }) => files],
  ['live MiB', 9, ({ live }) => mib(live)],
  ['WAL', 5, ({ wal }) => mib(wal)],
  ['published', 10, ({ published }) => mib(published)],
  ['lag', 6, ({ changes }) => changes ?? '–'],
  ['lag s', 6, ({ seconds }) => (seconds === null ? '–' : Math.round(seconds))],
  ['problems', 9, ({ problems }) => problems],
];

export const formatHead = () => COLUMNS.map(([title, width]) => title.padStart(width)).join('');

export const formatRow = (row) =>
  COLUMNS.map(([, width, show]) => String(show(row)).padStart(width)).join('');

export const LEGEND = `hours: real time; days: that passed for workers and service; kills: SIGKILL of the worker "struck"; downs: of PostgreSQL;
steps: of the clock of one worker; RSS, most and fds: of the worker "steady", which is never killed, and of its helper
processes; sizes: of both workers together; lag: changes of the warehouse that the target lacks, and their age; problems: in status`;
