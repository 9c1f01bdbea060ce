/** The metrics that docs/metrics.md lists; test/docs/metrics.test.ts holds that exactly these are exported. */
import { readFileSync } from 'node:fs';

/** The names of their samples. */
export const documentedMetrics = (): Set<string> =>
  new Set(
    [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(vodhouse_\w+)` +\| (\w+)/gm)].flatMap(
      ([, name = '', type]) =>
        type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    ),
  );
