/** The tables and pictures of docs/performance.md, from the figures of `npm run bench -- --json`. */
import { readFileSync } from 'node:fs';
import { barChart, type Bar } from './bar-chart.ts';

type Row = Readonly<Record<string, number | string>> & { step: string; contender: string };

interface Results {
  version: string;
  at: string;
  videos: number;
  rounds: number;
  machine: { cpu: string; cores: number; memoryGb: number; node: string; load: number[] };
  results: Record<string, { rows: Row[] | string }>;
}

const WALKS = ['first load', 'unchanged', '1 % changed'];
const PEERS = ['vodhouse', 'plain node', 'python loop', 'sqlite-utils'];

const root = new URL('../../', import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'));

/** The generated part of the page, and the pictures by the name of their file. Throws if a case was left out. */
export function performancePage(): { markdown: string; pictures: Record<string, string> } {
  const { version } = readJson('package.json') as { version: string };
  const file = `bench/results/${version}.json`;
  const results = readJson(file) as Results;
  const rowsOf = (name: string): Row[] => {
    const rows = results.results[name]?.rows;
    if (!Array.isArray(rows)) throw new Error(`${file} has no figures of ${name}`);
    return rows;
  };
  const figure = (name: string, step: string, contender: string, key: string): number =>
    Number(rowsOf(name).find((row) => row.step === step && row.contender === contender)?.[key]);
  const seconds = (step: string, contender: string) => figure('peers', step, contender, 'seconds');
  // a peer whose Debian packages were missing has no figures
  const peers = PEERS.filter((peer) => rowsOf('peers').some(({ contender }) => contender === peer));
  const growth = rowsOf('growth');
  const markdown = [
    aboutRun(results),
    '## Walks\n\nSpeed as a share of the floor.',
    walksTable(figure),
    '## Everything else',
    otherTable(figure),
    '## Peers\n\nThe same list into SQLite: seconds, and memory of the first load.',
    '![Seconds of each contender](images/performance-peers.svg)',
    table(
      ['', ...WALKS, 'memory'],
      peers.map((peer) => [
        peer,
        ...WALKS.map((step) => show(seconds(step, peer))),
        `${show(figure('peers', 'first load', peer, 'rssMb'))} MB`,
      ]),
    ),
    '## Growth\n\nSeconds of a sync of 1 % changes with publication.',
    '![Seconds of a sync](images/performance-growth.svg)',
    table(
      ['warehouse', 'seconds', 'memory'],
      growth.map(({ step, seconds, rssMb }) => [step, show(Number(seconds)), `${show(Number(rssMb))} MB`]),
    ),
  ];
  const peerBars = WALKS.flatMap((step): Bar[] =>
    peers.map((peer, index) => ({
      group: index === 0 ? step : '',
      label: peer,
      value: seconds(step, peer),
      isOwn: peer === 'vodhouse',
    })),
  );
  const growthBars = growth.map(({ step, seconds }): Bar => ({
    group: '',
    label: step,
    value: Number(seconds),
    isOwn: true,
  }));
  return {
    markdown: `${markdown.join('\n\n')}\n`,
    pictures: {
      'performance-peers.svg': barChart('Seconds for 100,000 videos', peerBars),
      'performance-growth.svg': barChart('Seconds of a sync of 1 % changes', growthBars),
    },
  };
}

const aboutRun = ({ version, at, videos, rounds, machine }: Results) =>
  `Version ${version}, ${at.slice(0, 10)}: ${videos.toLocaleString('en-US')} videos of 1 KB, median of ${rounds} rounds, ` +
  `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Node ${machine.node.slice(1)}, load ${show(machine.load[0] ?? 0)} at the start.`;

type FindFigure = (name: string, step: string, contender: string, key: string) => number;

function walksTable(figure: FindFigure): string {
  const line = (label: string, name: string, contender: string) => [
    label,
    ...WALKS.map((step) => show(figure(name, step, contender, 'ofFloor'))),
  ];
  return table(
    ['', ...WALKS],
    [
      line('4 packages', 'walks', 'vodhouse'),
      line('4 packages, with publication', 'walks', 'vodhouse, publishing'),
      line('one package', 'one-package', 'vodhouse'),
      line('one package, with publication', 'one-package', 'vodhouse, publishing'),
    ],
  );
}

function otherTable(figure: FindFigure): string {
  const ratio = (name: string, step: string, one: string, other: string) =>
    show(figure(name, step, one, 'seconds') / figure(name, step, other, 'seconds'));
  return table(
    ['', 'measured'],
    [
      ['`vodhouse sync` over an empty package', `${show(figure('start', 'start', 'vodhouse', 'seconds'))} s`],
      ['its memory', `${show(figure('start', 'start', 'vodhouse', 'rssMb'))} MB`],
      ['publication, in times of `VACUUM INTO`', ratio('publishing', 'publish', 'publish', 'vacuum into')],
      [
        'load of PostgreSQL, speed as a share of `\\copy`',
        show(figure('postgres', 'first load', 'load', 'ofFloor')),
      ],
      ['load of a lake', `${show(figure('lake', 'first load', 'load', 'seconds'))} s`],
      [
        'page of the mirror during a sync, p99',
        `${show(figure('mirror', 'beside a sync', 'vodhouse', 'p99Ms'))} ms`,
      ],
      [
        'front page over 1,000 packages, median',
        `${show(figure('pages', 'front page', 'vodhouse', 'medianMs'))} ms`,
      ],
    ],
  );
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const right = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [head, right, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const show = (value: number) => (value < 10 ? value.toFixed(2) : String(Math.round(value)));
