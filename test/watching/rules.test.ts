import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dashboardJson } from '../../docs/generate/dashboard.ts';
import { findKind } from '../../src/health/catalogue.ts';
import { findMetrics, listQueries, readCases, readPanels, readRules } from '../support/watching-files.ts';

/** The names of the samples of docs/metrics.md; test/docs/metrics.test.ts holds that exactly its metrics are exported. */
const METRICS = new Set(
  [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(vodhouse_\w+)` +\| (\w+)/gm)].flatMap(
    ([, name = '', type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
  ),
);

describe('deploy/prometheus/rules.yaml', () => {
  const rules = readRules();

  it('reads only metrics that exist, and so do its cases', () => {
    const series = readCases().flatMap((each) => Object.keys(each.series));
    const named = findMetrics([...rules.map(({ expr }) => expr), ...series]);
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((name) => !METRICS.has(name))).toEqual([]);
  });

  it('says in each alert what is wrong, what that means, and a command that exists', () => {
    const commands = readdirSync('src/cli/commands').map((file) => file.replace('.ts', ''));
    for (const { alert, annotations } of rules) {
      expect(Object.keys(annotations), alert).toEqual(['summary', 'description', 'command']);
      const typed = [...(annotations['command'] ?? '').matchAll(/vodhouse ([a-z]+)/g)];
      expect(typed.filter(([, name = '']) => !commands.includes(name)).map(([text]) => text)).toEqual([]);
    }
  });

  it('has events of the webhook, and is listed in docs/metrics.md', () => {
    const events = rules.flatMap(({ labels }) => labels['event'] ?? []);
    expect(events.filter((event) => !findKind(event))).toEqual([]);
    const page = readFileSync('docs/metrics.md', 'utf8');
    const listed = [...page.matchAll(/^\| `(Vodhouse\w+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual(rules.map(({ alert }) => alert));
  });

  it('has the severity of the webhook, but where readers of a target wait', () => {
    const others = rules.filter(({ labels: { event = '', severity } }) => {
      const kind = findKind(event);
      return kind !== undefined && kind.severity !== severity;
    });
    expect(others.map(({ alert }) => alert)).toEqual(['VodhouseTargetBehind']);
  });

  it('has a case in which each alert fires, and one in which it does not yet', () => {
    const checks = readCases().flatMap((each) => each.checks);
    const names = new Set(rules.map(({ alert }) => alert));
    const named = (isFiring: boolean) =>
      new Set(checks.filter(({ fires }) => fires.length > 0 === isFiring).map(({ alert }) => alert));
    expect([named(true), named(false)]).toEqual([names, names]);
  });
});

describe('deploy/grafana/vodhouse.json', () => {
  it('is as `npm run docs` writes it', () => {
    expect(readFileSync('deploy/grafana/vodhouse.json', 'utf8')).toBe(dashboardJson());
  });

  it('shows every metric of vodhouse, and no other', () => {
    const baseName = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const shown = [...findMetrics(listQueries())].map(baseName).sort();
    expect(shown).toEqual([...new Set([...METRICS].map(baseName))].sort());
  });

  it('has panels that do not overlap', () => {
    const cells = readPanels().flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});
