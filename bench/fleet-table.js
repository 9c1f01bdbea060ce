/** The table of `demo:fleet`. */
import Table from 'cli-table3';

const count = (number) => (number === undefined || number === null ? '–' : number.toLocaleString('en-US'));

/** One line a worker. `behind`: changed videos that the target lacks; `lease` and `loaded_ago`: seconds. */
export function formatFleet(rows) {
  const head = ['worker', '', 'accounts', 'videos', 'loads', 'last load', 'behind', 'lease'];
  const table = new Table({
    head,
    style: { head: [], border: [] },
    colAligns: ['left', 'left', ...Array(6).fill('right')],
  });
  for (const row of rows)
    table.push([
      row.worker,
      row.isRunning ? 'runs' : 'KILLED',
      ...[count(row.accounts), count(row.videos), count(row.loads)],
      row.loaded_ago === null || row.loaded_ago === undefined ? '–' : `${row.loaded_ago} s ago`,
      count(row.behind),
      row.lease > 0 ? `${row.lease} s` : 'free',
    ]);
  return `${table.toString()}\n`;
}
