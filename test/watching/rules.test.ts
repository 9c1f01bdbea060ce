import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { INCIDENT_EVENTS } from '../../src/lib/incident-events.ts';
import { documentedMetrics } from '../support/documented-metrics.ts';
import { findUnknown, readPromql } from '../support/promql.ts';
import { readCases, readRules } from '../support/watching-files.ts';

const rules = readRules();
const METRICS_PAGE = readFileSync('docs/metrics.md', 'utf8');
const COMMANDS = new Set(
  [...readFileSync('src/cli/main.ts', 'utf8').matchAll(/^ {2}'([a-z]+)(?: |',)/gm)].map(([, name]) => name),
);

describe('deploy/prometheus/rules.yaml', () => {
  it('reads only metrics and labels that exist', () => {
    expect(rules.length).toBeGreaterThan(10);
    const known = documentedMetrics();
    expect(rules.flatMap(({ expr }) => findUnknown(expr, known))).toEqual([]);
  });

  it('says in each alert what is wrong, what that means, and what to type', () => {
    for (const { alert, annotations } of rules) {
      expect(Object.keys(annotations), alert).toEqual(['summary', 'description', 'command']);
      const typed = [...(annotations['command'] ?? '').matchAll(/vodhouse ([a-z]+)/g)];
      expect(typed.filter(([, name]) => !COMMANDS.has(name)).map(([text]) => text)).toEqual([]);
    }
  });

  it('names only labels in its texts that the alert has', () => {
    const wrong = rules.flatMap(({ alert, expr, annotations }) => {
      const named = [
        ...Object.values(annotations)
          .join(' ')
          .matchAll(/\$labels\.(\w+)/g),
      ];
      const { metrics, labels } = readPromql(expr);
      const own = expr.includes(' by (')
        ? labels
        : [...metrics.flatMap((each) => documentedMetrics().get(each) ?? []), 'instance'];
      return named.filter(([, label = '']) => !own.includes(label)).map(([text]) => `${alert}: ${text}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has the event of docs/alerts.md with the same cause, where there is one', () => {
    const events = rules.flatMap(({ labels }) => labels['event'] ?? []);
    expect(events.length).toBeGreaterThan(8);
    expect(events.filter((event) => !(INCIDENT_EVENTS as readonly string[]).includes(event))).toEqual([]);
  });

  it('is listed in docs/metrics.md, with severity and event', () => {
    const row = ({ alert, labels }: (typeof rules)[number]) =>
      new RegExp(
        `^\\| \`${alert}\` +\\| ${labels['severity'] ?? ''} +\\| ${labels['event'] ? `\`${labels['event']}\`` : ''} +\\|`,
        'm',
      );
    expect(rules.filter((rule) => !row(rule).test(METRICS_PAGE)).map(({ alert }) => alert)).toEqual([]);
    expect(METRICS_PAGE.match(/^\| `Vodhouse\w+`/gm)).toHaveLength(rules.length);
  });

  it('has a case in which each alert fires, and one in which it does not yet', () => {
    const tests = readCases().flatMap((each) => each.alert_rule_test);
    const of = (isFiring: boolean) =>
      new Set(
        tests
          .filter(({ exp_alerts: alerts }) => alerts.length > 0 === isFiring)
          .map((each) => each.alertname),
      );
    const names = rules.map(({ alert }) => alert);
    expect(of(true)).toEqual(new Set(names));
    expect(of(false)).toEqual(new Set(names));
  });

  it('has cases whose series exist', () => {
    const series = readCases().flatMap((each) => each.input_series.map((one) => one.series));
    const known = documentedMetrics();
    expect(series.flatMap((each) => findUnknown(each, known))).toEqual([]);
  });
});
