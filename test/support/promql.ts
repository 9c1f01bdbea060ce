/** Reads PromQL, with Prometheus' own grammar. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Selected {
  /** Metrics that an expression reads. */
  metrics: string[];
  /** Labels that it matches, groups or joins by. */
  labels: string[];
}

/** What Grafana puts in for its variables. */
const VARIABLES: readonly [RegExp, string][] = [
  [/\$__rate_interval/g, '5m'],
  [/\$(instance|account|target)/g, '.*'],
];

/** The expression as Grafana sends it, with all instances, accounts and targets selected. */
export function fillVariables(expression: string): string {
  return VARIABLES.reduce((text, [variable, value]) => text.replaceAll(variable, value), expression);
}

/** Throws where the expression is not PromQL. A metric must be written by its name. */
export function readPromql(expression: string): Selected {
  const found: Selected = { metrics: [], labels: [] };
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expression}`);
      if (name === 'Identifier') found.metrics.push(text);
      if (name === 'LabelName') found.labels.push(text);
    },
  });
  if (found.labels.includes('__name__')) throw new Error(`a metric without its name: ${expression}`);
  return found;
}

/** Metrics by the names of their samples, and the labels that these have. */
export type Known = ReadonlyMap<string, readonly string[]>;

/** Given by Prometheus: by the scrape config, and to its own metric. */
const GIVEN = ['instance', 'job'];
const OWN: Known = new Map([['up', []]]);

/** What of an expression does not exist: metrics, and labels that none of its metrics has. */
export function findUnknown(expression: string, known: Known): string[] {
  const { metrics, labels } = readPromql(expression);
  const labelsOf = (metric: string) => known.get(metric) ?? OWN.get(metric);
  const possible = new Set([...GIVEN, ...metrics.flatMap((metric) => labelsOf(metric) ?? [])]);
  return [
    ...metrics.filter((metric) => !labelsOf(metric)),
    ...labels.filter((label) => !possible.has(label)).map((label) => `${label} in ${expression}`),
  ];
}
