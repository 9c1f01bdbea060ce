/** The files of deploy/ that watch vodhouse: the dashboard of Grafana, and the rules of Prometheus with their cases. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const RULES = 'deploy/prometheus/rules.yaml';
export const CASES = 'deploy/prometheus/rules.test.yaml';
export const DASHBOARD = 'deploy/grafana/vodhouse.json';

export interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export function readRules(): Rule[] {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export interface Case {
  name: string;
  input_series: { series: string }[];
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

export function readCases(): Case[] {
  return (parse(readFileSync(CASES, 'utf8')) as { tests: Case[] }).tests;
}

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

interface Variable {
  name: string;
  type: string;
  definition?: string;
}

export interface Dashboard {
  title: string;
  panels: Panel[];
  templating: { list: Variable[] };
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;
}

/** All queries of the dashboard: of its panels, and the metric and label of each variable. */
export function listQueries({ panels, templating }: Dashboard): string[] {
  const variables = templating.list.flatMap(({ definition }) => {
    const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(definition ?? '') ?? [];
    return selector && label ? [`count by (${label}) (${selector})`] : [];
  });
  return [...panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr)), ...variables];
}
