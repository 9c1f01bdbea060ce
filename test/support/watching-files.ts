/** The files of deploy/ that watch vodhouse: the dashboard of Grafana, and the rules of Prometheus with their cases. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const RULES = 'deploy/prometheus/rules.yaml';

export interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export function readRules(): Rule[] {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Series as promtool plays them, and when an alert fires for them, with which labels. */
export interface Case {
  name: string;
  interval?: string;
  series: Record<string, string>;
  checks: { at: string; alert: string; fires: Record<string, string>[] }[];
}

export const readCases = () => parse(readFileSync('test/watching/rules.cases.yaml', 'utf8')) as Case[];

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

export const readPanels = () =>
  (JSON.parse(readFileSync('deploy/grafana/vodhouse.json', 'utf8')) as { panels: Panel[] }).panels;

/** The queries of the dashboard, with all instances, accounts and targets selected. */
export const listQueries = () =>
  readPanels()
    .flatMap(({ targets }) => targets ?? [])
    .map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(instance|account|target)/g, '.*'),
    );

/** The metrics of vodhouse that queries or series name. */
export const findMetrics = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => text.match(/\bvodhouse_[a-z_]+[a-z]/g) ?? []));
