/** The metrics that docs/metrics.md lists; test/docs/metrics.test.ts holds that exactly these are exported. */
import { readFileSync } from 'node:fs';
import type { Known } from './promql.ts';

/** By the names of their samples. */
export function documentedMetrics(): Known {
  const rows = readFileSync('docs/metrics.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `vodhouse_'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(
    rows.flatMap(([, name = '', type = '', labels = '']) => {
      const own = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
      return listSamples(name.replaceAll('`', ''), type, own);
    }),
  );
}

function listSamples(name: string, type: string, labels: string[]): [string, string[]][] {
  if (type === 'histogram') {
    return [
      [`${name}_bucket`, [...labels, 'le']],
      [`${name}_sum`, labels],
      [`${name}_count`, labels],
    ];
  }
  if (type === 'summary') return [`${name}_sum`, `${name}_count`].map((each) => [each, labels]);
  return [[name, labels]];
}
